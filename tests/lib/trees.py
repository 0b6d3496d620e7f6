"""Trees of /sys, /proc, /dev and /var as the kernel's documentation has them, for the host tool.

Three shapes: a host with a shelf on two paths, one with NVMe drives only, and a virtual
machine that has next to nothing.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Optional

FSID = "0f7c1a3e-5b1d-4c0e-9a55-3f2a6d1b7c88"
SHELF = "0x5000c500a1b2c3d4"


class Builder:
    """Writes files and links below a root."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def file(self, path: str, content: str | bytes) -> None:
        place = self._place(path)
        place.write_bytes(content if isinstance(content, bytes) else f"{content}\n".encode())

    def folder(self, path: str) -> None:
        (self.root / path).mkdir(parents=True, exist_ok=True)

    def link(self, path: str, target: str) -> None:
        """A link to another place below the root, relative as sysfs has them."""
        place = self._place(path)
        place.symlink_to(os.path.relpath(self.root / target, place.parent))

    def _place(self, path: str) -> Path:
        place = self.root / path
        if not place.parent.is_dir():
            place.parent.mkdir(parents=True)
        return place

    def output(self, words: str, text: str) -> None:
        self.file(f"outputs/{words.replace('/', '_')}", text)


def machine(
    root: Path, host: str, cores: int, *, governor: Optional[str], iommu: Optional[str]
) -> Builder:
    """A machine with so many cores of two threads on two nodes."""
    made = Builder(root)
    made.file("proc/sys/kernel/hostname", host)
    made.file("proc/sys/kernel/osrelease", "6.1.0-18-amd64")
    threads = [
        f"processor\t: {n}\nmodel name\t: EPYC 9454P\nphysical id\t: 0\ncore id\t\t: {n % cores}\n"
        for n in range(2 * cores)
    ]
    made.file("proc/cpuinfo", "\n".join(threads))
    made.file(
        "proc/meminfo",
        "MemTotal:       65000000 kB\nSwapTotal:       8000000 kB\nSwapFree:        7990000 kB",
    )
    made.file("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never")
    made.folder("sys/kernel/iommu_groups")
    for node in range(2):
        made.file(
            f"sys/devices/system/node/node{node}/numastat",
            f"numa_hit 900\nnuma_miss {100 * node}\nnuma_foreign 0\nother_node 5",
        )
    for n in range(2 * cores):
        cpu = f"sys/devices/system/cpu/cpu{n}"
        if governor:
            made.file(f"{cpu}/cpufreq/scaling_governor", governor)
            # C6 is there and switched off
            for state, (name, off) in enumerate((("POLL", 0), ("C1", 0), ("C1E", 0), ("C6", 1))):
                made.file(f"{cpu}/cpuidle/state{state}/name", name)
                made.file(f"{cpu}/cpuidle/state{state}/disable", str(off))
    if iommu:
        for group in range(3):
            made.file(f"sys/kernel/iommu_groups/{group}/type", iommu if group else "identity")
    return made


def disk_name(number: int) -> str:
    """Disk names as the kernel gives them: sda to sdz, sdaa and so on."""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return f"sd{letters}"


def _sas_disk(made: Builder, path: int, slot: int) -> str:
    """A disk of the shelf seen over one path: its device, port, phy; returns its name."""
    name = disk_name(path * 60 + slot)
    hctl = f"{path}:0:{slot}:0"
    port, phy = f"port-{path}:0:{slot}", f"phy-{path}:0:{slot}"
    expander = f"sys/devices/pci0000:00/0000:0{path}:00.0/host{path}/expander-{path}:0"
    device = f"{expander}/{port}/end_device-{path}:0:{slot}/target{path}:0:{slot}/{hctl}"
    made.file(f"{device}/wwid", f"naa.5000c500{slot:08x}")
    made.file(f"{device}/model", "ST22000NM      ")
    made.file(f"{device}/state", "offline" if (path, slot) == (1, 7) else "running")
    serial = f"ZX{slot:06d}"
    made.file(f"{device}/vpd_pg80", b"\x00\x80" + len(serial).to_bytes(2, "big") + serial.encode())
    made.file(f"{device}/block/{name}/queue/rotational", "1")
    made.link(f"{device}/block/{name}/device", device)
    made.link(f"sys/class/block/{name}", f"{device}/block/{name}")
    made.link(f"{device}/block/{name}/holders/dm-{slot}", f"sys/devices/virtual/block/dm-{slot}")
    made.link(f"{expander}/{phy}/port", f"{expander}/{port}")
    counts = f"{expander}/{phy}/sas_phy/{phy}"
    for count in ("running_disparity_error", "loss_of_dword_sync", "phy_reset_problem"):
        made.file(f"{counts}/{count}_count", "0")
    made.file(f"{counts}/invalid_dword_count", "4711" if (path, slot) == (0, 3) else "0")
    made.file(f"{counts}/negotiated_linkrate", "12.0 Gbit")
    made.link(f"{counts}/device", f"{expander}/{phy}")
    made.link(f"sys/class/sas_phy/{phy}", counts)
    return name


def _sas_slot(made: Builder, path: int, slot: int, enclosure: str, *, empty: bool) -> None:
    place = f"{enclosure}/SLOT {slot:03d} [A,{slot:02d}]"
    made.file(f"{place}/type", "array device")
    made.file(f"{place}/slot", str(slot))
    made.file(f"{place}/status", "not installed" if empty else "OK")
    made.file(f"{place}/fault", "1" if slot == 5 else "0")
    made.file(f"{place}/power_status", "on")
    if not empty:
        _sas_disk(made, path, slot)
        expander = f"sys/devices/pci0000:00/0000:0{path}:00.0/host{path}/expander-{path}:0"
        made.link(
            f"{place}/device",
            f"{expander}/port-{path}:0:{slot}/end_device-{path}:0:{slot}/"
            f"target{path}:0:{slot}/{path}:0:{slot}:0",
        )


def shelf(root: Path, slots: int = 16) -> Path:
    """So many slots on two HBAs, the last one empty; disks behind multipath and LVM, 12 OSDs."""
    made = machine(root, "storage-1", 4, governor="performance", iommu="DMA-FQ")
    for slot in range(slots - 1):  # the maps come first: links lead to them
        made.file(f"sys/devices/virtual/block/dm-{slot}/dm/name", f"mpath{slot}")
        made.file(f"sys/devices/virtual/block/dm-{slot}/dm/uuid", f"mpath-35000c500{slot:08x}")
        made.link(f"sys/class/block/dm-{slot}", f"sys/devices/virtual/block/dm-{slot}")
    for path in range(2):
        address = f"{path}:0:60:0"
        enclosure = f"sys/devices/pci0000:00/0000:0{path}:00.0/host{path}/ses/{address}/enclosure"
        enclosure = f"{enclosure}/{address}"
        made.file(f"{enclosure}/id", SHELF)
        made.file(f"{enclosure}/components", str(slots))
        scsi = f"sys/devices/pci0000:00/0000:0{path}:00.0/host{path}/ses/{address}"
        made.file(f"{scsi}/vendor", "ACME    ")
        made.file(f"{scsi}/model", "SHELF-60        ")
        made.file(f"{scsi}/vpd_pg80", b"\x0d\x80\x00\x04SHX0")
        made.folder(f"{scsi}/scsi_generic/sg{path}")
        made.link(f"{enclosure}/device", scsi)
        made.link(f"sys/class/enclosure/{address}", enclosure)
        for slot in range(slots):
            _sas_slot(made, path, slot, enclosure, empty=slot == slots - 1)
    for slot in range(slots - 1):
        for path in range(2):
            name = disk_name(path * 60 + slot)
            made.link(
                f"sys/devices/virtual/block/dm-{slot}/slaves/{name}", f"sys/class/block/{name}"
            )
    for osd in range(min(12, slots - 1)):
        _osd_on_lvm(made, osd, slave=f"dm-{osd}", lv=f"dm-{100 + osd}")
    # as cephadm, systemd and hands start them; the maps of the last may not be read
    process(made, 4001, "/usr/bin/ceph-osd -n osd.3 -f", "libtcmalloc.so.4.5.9")
    process(made, 4002, "/usr/bin/ceph-osd -f --cluster ceph --id 4", "libtcmalloc_minimal.so.4")
    process(made, 4003, "ceph-osd --id=5", "libjemalloc.so.2", "libtcmalloc.so.4")
    process(made, 4004, "ceph-osd -i 6 --mkfs=no", "libstdc++.so.6")
    process(made, 4005, "ceph-osd -i 7")
    process(made, 4006, "ceph-osd --version", "libtcmalloc.so.4")
    process(made, 4007, "ceph-mon -i 8", "libtcmalloc.so.4")
    made.output("sg_ses --page=es /dev/sg0", SG_SES)
    made.output("multipathd show maps json", _multipathd(slots))
    for slot in (0, 3):
        made.output(f"smartctl --json=c -A -l error /dev/{disk_name(slot)}", _scsi_smart(slot))
    return root


def process(made: Builder, number: int, words: str, *libraries: str) -> None:
    """A process and what it has mapped."""
    made.file(f"proc/{number}/comm", words.split(maxsplit=1)[0].rpartition("/")[2])
    made.file(f"proc/{number}/cmdline", words.replace(" ", "\0").encode() + b"\0")
    lines = [
        f"7f00000{n}0000-7f00000{n}1000 r-xp 00000000 fe:01 {n}00 /usr/lib/x86_64-linux-gnu/{name}"
        for n, name in enumerate(libraries)
    ]
    if lines:
        made.file(
            f"proc/{number}/maps", "\n".join([*lines, "7ffc0000-7ffd0000 rw-p 0 00:00 0 [stack]"])
        )


def _osd_on_lvm(made: Builder, osd: int, slave: str, lv: str) -> None:
    """An OSD as cephadm and ceph-volume leave it."""
    device = f"sys/devices/virtual/block/{lv}"
    made.file(f"{device}/dm/name", f"ceph--vg{osd}-osd--block")
    made.file(f"{device}/dm/uuid", f"LVM-{osd}")
    made.link(f"sys/class/block/{lv}", device)
    made.link(f"{device}/slaves/{slave}", f"sys/class/block/{slave}")
    made.file(f"dev/{lv}", "")
    folder = made.root / f"dev/ceph-vg{osd}"
    folder.mkdir(parents=True)
    (folder / "osd-block").symlink_to(f"../{lv}")
    home = made.root / f"var/lib/ceph/{FSID}/osd.{osd}"
    home.mkdir(parents=True)
    (home / "block").symlink_to(f"/dev/ceph-vg{osd}/osd-block")


def _scsi_smart(slot: int) -> str:
    counters = {one: {"total_uncorrected_errors": slot} for one in ("read", "write", "verify")}
    return json.dumps({"scsi_error_counter_log": counters})


def _multipathd(slots: int) -> str:
    """As ``multipathd show maps json``; the second path of map 7 has failed."""

    def path(slot: int, number: int) -> dict[str, str]:
        failed = (number, slot) == (1, 7)
        return {
            "dev": disk_name(number * 60 + slot),
            "dev_t": f"8:{slot}",
            "dm_st": "failed" if failed else "active",
            "dev_st": "running",
            "chk_st": "faulty" if failed else "ready",
        }

    maps = [
        {
            "name": f"mpath{slot}",
            "uuid": f"35000c500{slot:08x}",
            "sysfs": f"dm-{slot}",
            "path_groups": [{"group": 1, "paths": [path(slot, 0), path(slot, 1)]}],
        }
        for slot in range(slots - 1)
    ]
    return json.dumps({"major_version": 0, "minor_version": 1, "maps": maps})


def nvme(root: Path) -> Path:
    """Ten NVMe drives with an OSD each, classic paths of OSDs, no shelf, no SMART program."""
    made = machine(root, "flash-1", 2, governor="schedutil", iommu=None)
    made.file("sys/module/nvme_core/parameters/io_timeout", "30")
    for number in range(10):
        name = f"nvme{number}n1"
        controller = f"sys/devices/pci0000:40/0000:4{number}:00.0/nvme/nvme{number}"
        made.link(f"{controller}/device", f"sys/devices/pci0000:40/0000:4{number}:00.0")
        made.file(f"{controller}/serial", f"S5H{number}      ")
        made.file(f"{controller}/model", "PM983 15.36TB")
        made.file(f"{controller}/{name}/wwid", f"eui.00253{number}")
        made.file(f"{controller}/{name}/queue/rotational", "0")
        made.link(f"{controller}/{name}/device", controller)
        made.link(f"sys/class/block/{name}", f"{controller}/{name}")
        made.file(f"{controller}/{name}/{name}p1/partition", "1")
        made.link(f"sys/class/block/{name}p1", f"{controller}/{name}/{name}p1")
        made.file(f"dev/{name}p1", "")
        home = made.root / f"var/lib/ceph/osd/ceph-{number}"
        home.mkdir(parents=True)
        (home / "block").symlink_to(f"/dev/{name}p1")
        made.output(
            f"nvme smart-log --output-format=json /dev/{name}", json.dumps({"media_errors": number})
        )
    return root


def aer(made: Builder, device: str, bad_tlp: int, advisory: int = 0, fatal: int = 0) -> None:
    """The counts of one end of a PCIe link, in the order and words of a kernel of 6.1."""
    rows = {"RxErr": 0, "BadTLP": bad_tlp, "BadDLLP": 1, "Rollover": 0, "Timeout": 0}
    rows |= {"NonFatalErr": advisory, "CorrIntErr": 0, "HeaderOF": 0}
    lines = [f"{name} {count}" for name, count in rows.items()]
    made.file(
        f"{device}/aer_dev_correctable",
        "\n".join([*lines, f"TOTAL_ERR_COR {sum(rows.values())}"]),
    )
    uncorrected = ("Undefined", "DLP", "SDES", "TLP", "FCP", "CmpltTO", "UnsupReq")
    for file, name, total in (("fatal", "FATAL", fatal), ("nonfatal", "NONFATAL", 0)):
        lines = [f"{one} {total if one == 'SDES' else 0}" for one in uncorrected]
        made.file(f"{device}/aer_dev_{file}", "\n".join([*lines, f"TOTAL_ERR_{name} {total}"]))


def two_ways(root: Path) -> Path:
    """An NVMe drive with two controllers, each below a port of its own, and one over a network.

    With NVMe multipath, as the kernel has it unless told otherwise: the two paths are hidden.
    """
    made = Builder(root)
    made.file("proc/sys/kernel/hostname", "flash-2")
    subsystem = "sys/devices/virtual/nvme-subsystem/nvme-subsys0"
    made.file(f"{subsystem}/serial", "S5H6      ")
    made.file(f"{subsystem}/nvme0n1/queue/rotational", "0")
    made.file(f"{subsystem}/nvme0n1/hidden", "0")
    made.file(f"{subsystem}/nvme0n1/wwid", "eui.002536")
    made.link(f"{subsystem}/nvme0n1/device", subsystem)
    made.link("sys/class/block/nvme0n1", f"{subsystem}/nvme0n1")
    for number in range(2):
        port = f"sys/devices/pci0000:0{number}/0000:0{number}:01.0"
        drive = f"{port}/0000:1{number}:00.0"
        made.link(f"{drive}/nvme/nvme{number}/device", drive)
        made.link(f"{subsystem}/nvme{number}", f"{drive}/nvme/nvme{number}")
        path = f"{drive}/nvme/nvme{number}/nvme0c{number}n1"
        made.file(f"{drive}/nvme/nvme{number}/serial", "S5H6      ")
        made.file(f"{path}/hidden", "1")
        made.file(f"{path}/wwid", "eui.002536")
        made.link(f"{path}/device", f"{drive}/nvme/nvme{number}")
        made.link(f"sys/class/block/nvme0c{number}n1", path)
        aer(made, port, bad_tlp=100 * number, fatal=number)
        aer(made, drive, bad_tlp=3, advisory=4000)
    remote = "sys/devices/virtual/nvme-fabrics/ctl/nvme7"
    made.file(f"{remote}/nvme7n1/queue/rotational", "0")
    made.link(f"{remote}/nvme7n1/device", remote)
    made.link("sys/class/block/nvme7n1", f"{remote}/nvme7n1")
    return root


def virtual(root: Path) -> Path:
    """A virtual machine with one disk, and an OSD in a file."""
    made = Builder(root)
    made.file("proc/sys/kernel/hostname", "vm-1")
    made.file("proc/cpuinfo", "processor\t: 0\nmodel name\t: QEMU\n")
    disk = "sys/devices/pci0000:00/0000:00:05.0/virtio2/block/vda"
    made.file(f"{disk}/queue/rotational", "1")
    made.file(f"{disk}/serial", "disk-0\x1b[2J")
    made.link(f"{disk}/device", "sys/devices/pci0000:00/0000:00:05.0/virtio2")
    made.link("sys/class/block/vda", disk)
    made.file("var/lib/ceph/osd/ceph-0/block", "a file")
    return root


SG_SES = """\
  ACME      SHELF-60          0001
    Primary enclosure logical identifier (hex): 5000c500a1b2c3d4
Enclosure Status diagnostic page:
  INVOP=0, INFO=0, NON-CRIT=1, CRIT=0, UNRECOV=0
  generation code: 0x0
  status descriptor list
    Element type: Array device slot, subenclosure id: 0 [ti=0]
      Overall descriptor:
        Predicted failure=0, Disabled=0, Swap=0, status: Unsupported
      Element 0 descriptor:
        Predicted failure=0, Disabled=0, Swap=0, status: OK
    Element type: Power supply, subenclosure id: 0 [ti=1]
      Overall descriptor:
        Predicted failure=0, Disabled=0, Swap=0, status: Unsupported
      Element 0 descriptor:
        Predicted failure=0, Disabled=0, Swap=0, status: OK
        Ident=0, Do not remove=0, DC overvoltage=0, DC undervoltage=0
      Element 1 descriptor:
        Predicted failure=0, Disabled=0, Swap=0, status: Non-critical
        Ident=0, Do not remove=0, DC overvoltage=0, DC undervoltage=0
    Element type: Cooling, subenclosure id: 0 [ti=2]
      Overall descriptor:
        Predicted failure=0, Disabled=0, Swap=0, status: Unsupported
      Element 0 descriptor:
        Predicted failure=0, Disabled=0, Swap=0, status: OK
        Ident=0, Do not remove=0, Hot swap=0, Fail=0, Requested on=1
    Element type: Temperature sensor, subenclosure id: 0 [ti=3]
      Overall descriptor:
        Predicted failure=0, Disabled=0, Swap=0, status: Unsupported
      Element 0 descriptor:
        Predicted failure=0, Disabled=0, Swap=0, status: Not available
"""
