"""The nouns: frozen records that every stage speaks in. No I/O, no Ceph, no clock."""
