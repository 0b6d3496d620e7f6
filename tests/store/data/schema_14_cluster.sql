-- A database of three rounds on a real cluster, as the version with schema 14 wrote it. Data: never edited.
PRAGMA user_version = 14;
BEGIN TRANSACTION;
CREATE TABLE baselines (
        profile TEXT PRIMARY KEY,
        round_id INTEGER NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
        set_at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE cluster_spans (
        level INTEGER NOT NULL,
        start INTEGER NOT NULL,
        since INTEGER NOT NULL,
        data TEXT NOT NULL,
        PRIMARY KEY (level, start, since)) WITHOUT ROWID;
INSERT INTO "cluster_spans" VALUES(300,1795806600,1795806932,'{"start":1795806600,"seconds":300,"osds":3,"latency":[["","commit",3,0.001961,0.002052,0.002052],["","read",1,7.465e-06,7.465e-06,7.465e-06],["","queue",1,2.664e-05,2.664e-05,2.664e-05],["","client_read",1,5.186e-05,5.186e-05,5.186e-05]],"work":[7.632,9.421,7973.0,189700.0,0.0,0.0],"apart":[],"more_apart":0,"restarted":[],"went_down":[],"silent":[],"more_silent":0,"watched":[[0,2]],"known":null,"more_restarted":0,"more_went_down":0}');
INSERT INTO "cluster_spans" VALUES(300,1795806900,1795807232,'{"start":1795806900,"seconds":300,"osds":3,"latency":[["","commit",3,0.001537,0.00219,0.00219],["","read",1,1.523e-05,1.523e-05,1.523e-05],["","queue",1,0.0001464,0.0001464,0.0001464],["","client_read",1,5.209e-05,5.209e-05,5.209e-05],["","client_write",1,0.005661,0.005661,0.005661]],"work":[0.4364,0.1364,710.2,1927.0,0.0,0.0],"apart":[],"more_apart":0,"restarted":[],"went_down":[],"silent":[],"more_silent":0,"watched":[[0,2]],"known":null,"more_restarted":0,"more_went_down":0}');
CREATE TABLE episodes (
        start REAL PRIMARY KEY,
        end REAL,
        data TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE findings (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        code TEXT NOT NULL,
        severity TEXT NOT NULL,
        target_kind TEXT NOT NULL,
        target_id TEXT NOT NULL,
        message TEXT NOT NULL,
        evidence TEXT NOT NULL,
        first_seen REAL NOT NULL,
        last_seen REAL NOT NULL,
        state TEXT NOT NULL,
        muted_until REAL,
        closed_at REAL, acknowledged TEXT);
CREATE TABLE host_facts (
        host TEXT PRIMARY KEY,
        received_at REAL NOT NULL,
        data BLOB NOT NULL, memory BLOB) WITHOUT ROWID;
CREATE TABLE loads (
        round_id INTEGER NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
        repeat INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (round_id, repeat)) WITHOUT ROWID;
CREATE TABLE newest (
        osd INTEGER NOT NULL,
        profile TEXT NOT NULL,
        round_id INTEGER,
        PRIMARY KEY (osd, profile)) WITHOUT ROWID;
INSERT INTO "newest" VALUES(0,'osd-iops',3);
INSERT INTO "newest" VALUES(0,'osd-throughput',1);
INSERT INTO "newest" VALUES(1,'osd-iops',3);
INSERT INTO "newest" VALUES(1,'osd-throughput',1);
INSERT INTO "newest" VALUES(2,'osd-iops',3);
INSERT INTO "newest" VALUES(2,'osd-throughput',1);
CREATE TABLE removed_rounds (
        round_id INTEGER PRIMARY KEY,
        profile TEXT NOT NULL,
        label TEXT NOT NULL,
        created_at REAL NOT NULL,
        removed_at REAL NOT NULL,
        why TEXT NOT NULL,
        rows_left INTEGER NOT NULL);
CREATE TABLE results (
        round_id INTEGER NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
        osd INTEGER NOT NULL,
        host TEXT NOT NULL,
        device_class TEXT,
        model TEXT,
        samples INTEGER NOT NULL,
        seconds REAL NOT NULL,
        median_call_seconds REAL,
        median_bytes_per_second REAL,
        median_iops REAL,
        cv_percent REAL,
        robust_z REAL,
        percent_of_peers REAL,
        PRIMARY KEY (round_id, osd)) WITHOUT ROWID;
INSERT INTO "results" VALUES(1,0,'host-0','hdd',NULL,3,4.40752657,1.45630926300009377882e+00,7.96084655697474479667e+08,1.89801372455948467177e+02,1.33104513824165557875e+01,4.48166489582366622812e+00,1.10218831481087889303e+02);
INSERT INTO "results" VALUES(1,1,'host-1','hdd',NULL,3,4.680816953,1.46969016000002739019e+00,7.84512292673887372002e+08,1.87042306107017367372e+02,3.29959158865174373431e+01,3.46992875660869115606e+00,1.07824276394126599147e+02);
INSERT INTO "results" VALUES(1,2,'host-2','hdd',NULL,3,4.51913801,1.7247052860002440866e+00,6.64977802379587411892e+08,1.58543062777420857394e+02,2.98741379068128765084e+01,-7.95159365243219351526e+00,8.41448702917053310574e+01);
INSERT INTO "results" VALUES(2,0,'host-0','hdd',NULL,2,0.556316434,1.04006764999985534814e+00,6.00748539820833727699e+07,1.46667123979695734306e+04,7.27524277187369676749e+01,-1.49058157902611942979e+00,7.68601680317385529397e+01);
INSERT INTO "results" VALUES(2,1,'host-1','hdd',NULL,2,0.724406088,0.829701188999934,5.33300973597751259806e+07,1.30200433007263491162e+04,8.53058149467365609518e+01,-2.50231771824100190926e+00,6.42866519911634810586e+01);
INSERT INTO "results" VALUES(2,2,'host-2','hdd',NULL,1,0.10726815,7.73538860999906319193e-01,1.14554040505033403638e+08,2.79672950451741708101e+04,NULL,3.9928992972671215611e+00,2.02384785977521289616e+02);
INSERT INTO "results" VALUES(3,0,'host-0','hdd',NULL,1,0.311708174,7.61939749999783089151e-01,3.94214878689706698065e+07,9.62438668676041743279e+03,NULL,-1.51721497456448739526e+00,79.0413753716627);
INSERT INTO "results" VALUES(3,1,'host-1','hdd',NULL,1,0.216205541,0.657148492000033,5.68348060977771133176e+07,1.38756850824651155567e+04,NULL,2.02269380991407032865e+00,1.36828493443228154551e+02);
INSERT INTO "results" VALUES(3,2,'host-2','hdd',NULL,1,0.280762137,7.50347916000009718118e-01,4.37665852358147501946e+07,1.06852014735875854966e+04,NULL,-0.505478835349583,9.24632099206491631093e+01);
CREATE TABLE rounds (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        token TEXT NOT NULL UNIQUE,
        profile TEXT NOT NULL,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        verdict TEXT,
        label TEXT NOT NULL,
        created_at REAL NOT NULL,
        started_at REAL,
        ended_at REAL,
        resumed INTEGER NOT NULL,
        plan TEXT NOT NULL,
        environment TEXT NOT NULL,
        reasons TEXT NOT NULL,
        conclusions TEXT NOT NULL,
        summary TEXT NOT NULL);
INSERT INTO "rounds" VALUES(1,'d3f0f960fb4b496e98b06673a9e76497','osd-throughput','osd','done','noisy','first',1.79580683609531068802e+09,1.79580683615607714651e+09,1.79580684589137864115e+09,0,'{"profile":"osd-throughput","phases":[{"step":{"operation":"write","block_size":4194304,"total_bytes":1073741824,"object_size":0,"object_count":0},"part":"","rest_seconds":0.0}],"repeats":3,"seconds":30.7,"basis":"osd_bench limits","notes":[],"max_repeats":3,"raised":[],"load":null,"imported":null,"copies":3,"leading":0}','{"release":"16.2.15 pacific","mgr":"x","fsid":"4088d17e-9150-4705-a98d-d51bf24ced82","osd_releases":{"16.2.15":3},"osds":3,"osds_up":3,"osds_in":3,"hosts":3,"device_classes":{"hdd":3},"options":{"osd_op_queue":"wpq","osd_mclock_profile":"high_client_ops","osd_op_num_shards_hdd":"5","osd_op_num_shards_ssd":"8","osd_op_num_threads_per_shard_hdd":"1","osd_op_num_threads_per_shard_ssd":"2","ms_async_op_threads":"3","osd_memory_target":"4294967296","bluefs_buffered_io":"True","bluestore_cache_size":"0","bluestore_prefer_deferred_size_hdd":"65536","bluestore_prefer_deferred_size_ssd":"0","bluestore_throttle_bytes":"67108864","bluestore_throttle_deferred_bytes":"134217728","bluestore_csum_type":"crc32c","bluestore_compression_mode":"none","bluestore_rocksdb_options":"compression=kNoCompression,max_write_buffer_number=4,min_write_buffer_number_to_merge=1,recycle_log_file_num=4,write_buffer_size=268435456,writable_file_max_buffer_size=0,compaction_readahead_size=2097152,max_background_compactions=2,max_total_wal_size=1073741824","bluestore_rocksdb_options_annex":"","bdev_enable_discard":"False","debug_osd":"1/5","debug_bluestore":"1/5","debug_ms":"0/0"},"flags":["pglog_hardlimit","purged_snapdirs","recovery_deletes","sortbitwise"],"health":"HEALTH_OK","health_checks":[],"pools":1,"pgs":1,"pgs_by_state":{"active+clean":1},"fill_percent":0.89,"client_read_bytes_per_second":0,"client_write_bytes_per_second":0,"peer_groups":[{"class":"hdd","model":null,"osds":3}],"max_parallel":64,"forced":[],"tolerated":[],"hash":"0529633019ee","quiesced":["flag/noscrub","flag/nodeep-scrub","balancer"],"settings":{"put_back":[{"what":"balancer","now":null},{"what":"flag/nodeep-scrub","now":"unset"},{"what":"flag/noscrub","now":"unset"}],"left":[],"waiting":[]}}','["repeats of the same OSD differ by 29.9 % (median CV); at most 10 % is called valid","figures are precise to 102.9 % after 3 repeats, and 3 is the limit"]','[]','{"osds":3,"osds_measured":3,"median_bytes_per_second":784512292.6738874,"median_iops":187.04230610701737,"median_cv_percent":29.874137906812877,"slowest_osd":2,"slowest_percent_of_peers":84.14487029170533,"repeats":3,"half_width_percent":102.85029395557963,"said":[{"code":"noisy","text":"repeats of the same OSD differ by 29.9 % (median CV); at most 10 % is called valid","values":{"cv":29.874137906812877,"most":10.0}},{"code":"precise-limit","text":"figures are precise to 102.9 % after 3 repeats, and 3 is the limit","values":{"reached":{"code":"precise-to","text":"figures are precise to 102.9 % after 3 repeats","values":{"width":102.85029395557963,"repeats":3}},"most":3}}]}');
INSERT INTO "rounds" VALUES(2,'80452060d5e945bc99789ee3de19717b','osd-iops','osd','done','noisy','',1.79580684718915677068e+09,1.79580684723250222204e+09,1.79580685354184556006e+09,0,'{"profile":"osd-iops","phases":[{"step":{"operation":"write","block_size":4096,"total_bytes":12288000,"object_size":4194304,"object_count":100},"part":"","rest_seconds":0.0}],"repeats":2,"seconds":68.0,"basis":"osd_bench limits","notes":[],"max_repeats":2,"raised":[],"load":null,"imported":null,"copies":3,"leading":0}','{"release":"16.2.15 pacific","mgr":"x","fsid":"4088d17e-9150-4705-a98d-d51bf24ced82","osd_releases":{"16.2.15":3},"osds":3,"osds_up":3,"osds_in":3,"hosts":3,"device_classes":{"hdd":3},"options":{"osd_op_queue":"wpq","osd_mclock_profile":"high_client_ops","osd_op_num_shards_hdd":"5","osd_op_num_shards_ssd":"8","osd_op_num_threads_per_shard_hdd":"1","osd_op_num_threads_per_shard_ssd":"2","ms_async_op_threads":"3","osd_memory_target":"4294967296","bluefs_buffered_io":"True","bluestore_cache_size":"0","bluestore_prefer_deferred_size_hdd":"65536","bluestore_prefer_deferred_size_ssd":"0","bluestore_throttle_bytes":"67108864","bluestore_throttle_deferred_bytes":"134217728","bluestore_csum_type":"crc32c","bluestore_compression_mode":"none","bluestore_rocksdb_options":"compression=kNoCompression,max_write_buffer_number=4,min_write_buffer_number_to_merge=1,recycle_log_file_num=4,write_buffer_size=268435456,writable_file_max_buffer_size=0,compaction_readahead_size=2097152,max_background_compactions=2,max_total_wal_size=1073741824","bluestore_rocksdb_options_annex":"","bdev_enable_discard":"False","debug_osd":"1/5","debug_bluestore":"1/5","debug_ms":"0/0"},"flags":["pglog_hardlimit","purged_snapdirs","recovery_deletes","sortbitwise"],"health":"HEALTH_OK","health_checks":[],"pools":1,"pgs":1,"pgs_by_state":{"active+clean":1},"fill_percent":16.24,"client_read_bytes_per_second":10944,"client_write_bytes_per_second":529393,"peer_groups":[{"class":"hdd","model":null,"osds":3}],"max_parallel":64,"forced":[],"tolerated":[],"hash":"0529633019ee","quiesced":["flag/noscrub","flag/nodeep-scrub","balancer"],"settings":{"put_back":[{"what":"balancer","now":null},{"what":"flag/nodeep-scrub","now":"unset"},{"what":"flag/noscrub","now":"unset"}],"left":[],"waiting":[]}}','["repeats of the same OSD differ by 79.0 % (median CV); at most 10 % is called valid"]','[]','{"osds":3,"osds_measured":3,"median_bytes_per_second":60074853.98208337,"median_iops":14666.712397969573,"median_cv_percent":79.02912133273676,"slowest_osd":1,"slowest_percent_of_peers":64.28665199116348,"repeats":2,"said":[{"code":"noisy","text":"repeats of the same OSD differ by 79.0 % (median CV); at most 10 % is called valid","values":{"cv":79.02912133273676,"most":10.0}}]}');
INSERT INTO "rounds" VALUES(3,'64ce9b2f3fff484eb46c030d166e7f77','osd-iops','osd','done','too-short','',1.79580685956958198542e+09,1.79580685962416219708e+09,1.79580686471773219104e+09,0,'{"profile":"osd-iops","phases":[{"step":{"operation":"write","block_size":4096,"total_bytes":12288000,"object_size":4194304,"object_count":100},"part":"","rest_seconds":0.0}],"repeats":1,"seconds":1.0,"basis":"the last round","notes":[],"max_repeats":1,"raised":[],"load":null,"imported":null,"copies":3,"leading":0}','{"release":"16.2.15 pacific","mgr":"x","fsid":"4088d17e-9150-4705-a98d-d51bf24ced82","osd_releases":{"16.2.15":3},"osds":3,"osds_up":3,"osds_in":3,"hosts":3,"device_classes":{"hdd":3},"options":{"osd_op_queue":"wpq","osd_mclock_profile":"high_client_ops","osd_op_num_shards_hdd":"5","osd_op_num_shards_ssd":"8","osd_op_num_threads_per_shard_hdd":"1","osd_op_num_threads_per_shard_ssd":"2","ms_async_op_threads":"3","osd_memory_target":"4294967296","bluefs_buffered_io":"True","bluestore_cache_size":"0","bluestore_prefer_deferred_size_hdd":"65536","bluestore_prefer_deferred_size_ssd":"0","bluestore_throttle_bytes":"67108864","bluestore_throttle_deferred_bytes":"134217728","bluestore_csum_type":"crc32c","bluestore_compression_mode":"none","bluestore_rocksdb_options":"compression=kNoCompression,max_write_buffer_number=4,min_write_buffer_number_to_merge=1,recycle_log_file_num=4,write_buffer_size=268435456,writable_file_max_buffer_size=0,compaction_readahead_size=2097152,max_background_compactions=2,max_total_wal_size=1073741824","bluestore_rocksdb_options_annex":"","bdev_enable_discard":"False","debug_osd":"1/5","debug_bluestore":"1/5","debug_ms":"0/0"},"flags":["pglog_hardlimit","purged_snapdirs","recovery_deletes","sortbitwise"],"health":"HEALTH_OK","health_checks":[],"pools":1,"pgs":1,"pgs_by_state":{"active+clean":1},"fill_percent":2.37,"client_read_bytes_per_second":13820,"client_write_bytes_per_second":367777,"peer_groups":[{"class":"hdd","model":null,"osds":3}],"max_parallel":64,"forced":[],"tolerated":[],"hash":"0529633019ee","quiesced":["flag/noscrub","flag/nodeep-scrub","balancer"],"settings":{"put_back":[{"what":"balancer","now":null},{"what":"flag/nodeep-scrub","now":"unset"},{"what":"flag/noscrub","now":"unset"}],"left":[],"waiting":[]}}','["an OSD was measured for 0.28 s in all (median): too short to mean anything, more --repeats, or a higher osd_bench_small_size_max_iops helps"]','[]','{"osds":3,"osds_measured":3,"median_bytes_per_second":43766585.23581475,"median_iops":10685.201473587585,"median_cv_percent":null,"slowest_osd":0,"slowest_percent_of_peers":79.0413753716627,"repeats":1,"said":[{"code":"too-short-option","text":"an OSD was measured for 0.28 s in all (median): too short to mean anything, more --repeats, or a higher osd_bench_small_size_max_iops helps","values":{"seconds":0.280762137,"option":"osd_bench_small_size_max_iops"}}]}');
CREATE TABLE samples (
        round_id INTEGER NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
        phase TEXT NOT NULL,
        repeat INTEGER NOT NULL,
        osd INTEGER NOT NULL,
        wave INTEGER NOT NULL,
        started_at REAL NOT NULL,
        call_seconds REAL NOT NULL,
        block_size INTEGER NOT NULL,
        bytes_written INTEGER NOT NULL,
        seconds REAL,
        bytes_per_second REAL,
        iops REAL,
        valid INTEGER NOT NULL,
        why TEXT,
        PRIMARY KEY (round_id, osd, phase, repeat)) WITHOUT ROWID;
INSERT INTO "samples" VALUES(1,'write',1,0,1,1.79580683821009707452e+09,1.84170969600018,4194304,1073741824,1.713759739,6.26541632158158659938e+08,1.49379165687122025469e+02,1,NULL);
INSERT INTO "samples" VALUES(1,'write',2,0,1,1.79580684049965286254e+09,1.45630926300009377882e+00,4194304,1073741824,1.344988386,7.98327952253410697003e+08,1.90336216033318208935e+02,1,NULL);
INSERT INTO "samples" VALUES(1,'write',3,0,1,1.79580684196969056131e+09,1.41323057499994320096e+00,4194304,1073741824,1.348778445,7.96084655697474479667e+08,1.89801372455948467177e+02,1,NULL);
INSERT INTO "samples" VALUES(1,'write',1,1,1,1.79580683821041345599e+09,2.28894103099992207717e+00,4194304,1073741824,2.211490179,4.8552864226850360632e+08,1.15759049002767469007e+02,1,NULL);
INSERT INTO "samples" VALUES(1,'write',2,1,1,1.79580684049971318243e+09,1.46969016000002739019e+00,4194304,1073741824,1.368674314,7.84512292673887372002e+08,1.87042306107017367372e+02,1,NULL);
INSERT INTO "samples" VALUES(1,'write',3,1,1,1.7958068419697625637e+09,1.27256675599983282154e+00,4194304,1073741824,1.10065246,9.75550287690266847585e+08,2.32589313433233940025e+02,1,NULL);
INSERT INTO "samples" VALUES(1,'write',1,2,1,1.7958068382105972767e+09,1.89290804799975376226e+00,4194304,1073741824,1.838484163,584036482.668358,1.39245148341264240348e+02,1,NULL);
INSERT INTO "samples" VALUES(1,'write',2,2,1,1795806840.49987,1.15631603900010304641e+00,4194304,1073741824,1.065950589,1.00730918963824498649e+09,2.40161225709496733309e+02,1,NULL);
INSERT INTO "samples" VALUES(1,'write',3,2,1,1795806841.97046,1.7247052860002440866e+00,4194304,1073741824,1.614703258,6.64977802379587411892e+08,1.58543062777420857394e+02,1,NULL);
INSERT INTO "samples" VALUES(2,'write',1,0,1,1.79580684930244636535e+09,1.02995822100001532817e+00,4096,12288000,0.135063241,9.09796026588759273318e+07,2.22118170553896306963e+04,1,NULL);
INSERT INTO "samples" VALUES(2,'write',2,0,1,1795806850.33272,1.05017707899969536811e+00,4096,12288000,0.421253193,2.91701053052908219394e+07,7.12160774054951707526e+03,1,NULL);
INSERT INTO "samples" VALUES(2,'write',1,1,1,1.79580684930268025395e+09,7.09974956999758433084e-01,4096,12288000,0.143721008,8.54989828626862913372e+07,2.0873775112960520346e+04,1,NULL);
INSERT INTO "samples" VALUES(2,'write',2,1,1,1.79580685033292579647e+09,9.49427421000109461601e-01,4096,12288000,0.58068508,2.11612118568639643494e+07,5.16631148849217879635e+03,1,NULL);
INSERT INTO "samples" VALUES(2,'write',1,2,1,1.79580684930272936822e+09,8.36466344000200479058e-01,4096,12288000,0.093726109,1.31105410553210943941e+08,3.20081568733425156098e+04,0,'too short: 94 ms, at least 100 ms are needed');
INSERT INTO "samples" VALUES(2,'write',2,2,1,1.79580685033296298981e+09,7.73538860999906319193e-01,4096,12288000,0.10726815,1.14554040505033403638e+08,2.79672950451741708101e+04,1,NULL);
INSERT INTO "samples" VALUES(3,'write',1,0,1,1.79580686175176644329e+09,7.61939749999783089151e-01,4096,12288000,0.311708174,3.94214878689706698065e+07,9.62438668676041743279e+03,1,NULL);
INSERT INTO "samples" VALUES(3,'write',1,1,1,1.7958068617522418499e+09,0.657148492000033,4096,12288000,0.216205541,5.68348060977771133176e+07,1.38756850824651155567e+04,1,NULL);
INSERT INTO "samples" VALUES(3,'write',1,2,1,1.79580686175227665895e+09,7.50347916000009718118e-01,4096,12288000,0.280762137,4.37665852358147501946e+07,1.06852014735875854966e+04,1,NULL);
CREATE TABLE schedules (
        name TEXT PRIMARY KEY,
        schedule TEXT NOT NULL,
        state TEXT) WITHOUT ROWID;
INSERT INTO "schedules" VALUES('nightly','{"name": "nightly", "profile": "osd-iops", "every": 86400, "cron": null, "window": null, "timezone": "UTC", "osds": null, "missed": "once", "paused": false, "anchor": 1795806859.0, "since": 1795806859.0, "may_raise": true}',NULL);
CREATE TABLE series (
        level INTEGER NOT NULL,
        chunk INTEGER NOT NULL,
        start INTEGER NOT NULL,
        since INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (level, chunk, start, since)) WITHOUT ROWID;
INSERT INTO "series" VALUES(300,0,1795806600,1795806840,X'0105070000000000000000010203077801858EB10D80300C043F4D0A1A6A1601442AC6601A0F9265BC494A76A0090F8DB19488D749F1E72DDB312366502184E7F1BA54492378DB8A2AE9A5872AE9A527409A4B393B6D89F85BCCCD22C4BCAF1611E2FFCCAD22C4BCAF7680F43450C0048C40ADF5DBF66B6FDD3125E2FF0F250D');
INSERT INTO "series" VALUES(300,0,1795806900,1795806900,X'010607000000000000000001020304077801E33F79245552828181814B40808D9111C8006118A83F70A0E3C0014118178D963C70E0166ED9A80307B6E196DD79E0C0D3030758D04C84712DCCCC76EEDC292222021340A1ADADACACADAD51849038E6F5F516F5F54802284CCBFA7A20421142E20035E2D16B5D5F0F4448CA51982E2E2EAEAEAE2842489CD0D0505B06868D0C0C310C0CC0E0FEFFFF3F92248849A4080024673157096A65E8');
CREATE TABLE states (
        name TEXT PRIMARY KEY,
        at REAL NOT NULL,
        data BLOB NOT NULL) WITHOUT ROWID;
INSERT INTO "states" VALUES('crc',1.79580717248828625673e+09,X'7801AB564A2C51B23234B734B53030373437D233B1B030343731D1514A2A2D2A2E2956B2AAAED5514A2FCA2F2FC90072A2636B0152A80EB2');
INSERT INTO "states" VALUES('drift',1.79580717248828625673e+09,X'78018554C96EDB3010FD158367C1D12ED9800F69D29EDAA2870245511404458D16982215928AE31AF9F7CEC84A5C07017A9000CE7BF366254FAC3176109E6DA38049D319EB1DDB9E5857D7AB1A1A3129844E4CC12328EE7A2D816DF5A454C08494307AA85FCEB5ED1BE412F8FC1C30077E1ADF935A44A262939561BE89E2759AE549B2785030E36A74444BD32BC547B012342AC7EB2C0C3769887E795696591AB083B1443DB13B183BB66551BE8ED751C6486C14567858DD7F5819BBFA71FB19616D3420365A23C13963D174FBE57EF5F1DBCF3B3463586E46FE30C18445B2C3F8B01807A98CDC7374C38408EAFAB6E352F598167AB88BAF9E06EE3A8149716C2032299545F71FCC39C2CA6BCC7716043A62BD678D4522FA1FEDAC16236D705CB8A39654C622877192456080C1D823F7C2B680ED6469BC493779116F7224546A82C6F16A6A1AB050F3DE20E3BBC54E9C31E78D052E85EC00D7E00F7521BC82460BE8C97167C0920091960AF22C4B5E629C75DE259FEBB856C52A8CF70A7875F48093667911856599A757B15F59AFD15FE85192C65151C4D46B2A7129C3E19CFC71A42AA495492CAF61336082CEF546F3C1D4C45A36E722812BB47775859DF648A3CCE4C56BB7FF6AEE2EC760104FFC607B8F65CCFDE5B80B15D85D1A0CBD7E0FE1DEF001704EBB28B0208F123BA04CCB69FFC8193DAFF4A8D9BB382FD324C3CB3463A242EACCA7E84BDC99170694AA909438A79D131DFEE681EDE2705344593C675C09B96FAD9974CD2F0E6E7706BDF142F1037EB3661416499146657C3D98375DE2426B78C25E51BB6B78E4A0E734EBDE49BC34087C12CAD1CAD5504D2DC79B83B6E8866ED1D9F23A8037F6812610DE848C9E1ED909DDD2B6FCFA4D476CA079047B9C9F3533E1AD5FDE9E300CF18DB16220EE9B272F4F2E9EBD6E11C7B382062FFC442FE21C47899E026398BF7124D508');
INSERT INTO "states" VALUES('flapping',1.79580717248828625673e+09,X'780165CA390E80201445D1BDBCFAC7808CB21542611463A318D45810F6EED05ADE935B30A5BCF4071C27C42D0D339C60844F4CA72C33DCB48DB4866BA90863BA56B85209391E675EF727D0C279CFBF5BDBF75682592DE94F21D47A031D8E1E39');
INSERT INTO "states" VALUES('laggy',1.79580717248828625673e+09,X'7801AB564ACB2FCA4D2C51B232D4512AC92F49CC51B232D033D0512AC8CFCF2956B2AAAE0532138B81F2D1B13A4AF905A9794A5679A53939B5000E69128D');
INSERT INTO "states" VALUES('slow',1.79580717248828625673e+09,X'7801ED564B8FDA3010FE2B2B9FD33659956517A907D3004D8195B2857629E2E024CE039238B59DA610E5BF77EC243D75AB3DAC545A7100261ECFFBCBC7D428643C23128DAE0DA47EACE1DDE0D61C5A83C16BD3409C0949391A21FAF1B8D8EF3D77FDD99E2FCCE1C3D2C2EF97FBC53131A5E990E37AEA3C1E2CC7593EAE97A7F8EB6A2D97AB4FF9781EF9D341B18ADE1E67A4DC4F66A673EF63D7633826EE66E3BA6615C5327A709CB170EDF11B9B0D90812427FE41A0518D7C966509E454A39C56548084289E72328B30C64B1B6F26EFE03E8928DC569AFDE60B1EBBA0BC8FF03D68048D329A4BD06E77F094B25EE48938F42613F005DE30D6CE32F2E3F7515292AB30358A83E0CAA745FCCABAB90A6848CA546798257929D50DCB401EE379DFC99B3BD3549D143E49957A9B97696AA82F48A920AAA86D7B66EE8C5E68B32D28E894317CE084F810A02BA5149224390DDAC790A581966B28994268556E91125F07543213894C58DE752286A976A2C7131AB606879C55DAB6315EC80F442EF34485AAFF907D4473CA894AAFCB831EBBE44472FA5581EE140C7962EB79A9693506AA88F4E3BE0D29FD4E53F001D56F7710DB23A2EB176755E7326524D06203D65EC975239E1C2A13FAB26958C63538F459D9A2A9051BC663C865D62147E3EFFF3982725B2C59B7060A39C934B6419631A72206C4A1918632A2452258D00F2A4C49D4F5BA87E50BA1A95123E39440E06712C2E434B7D7180861B6A93E547F8B10E0E56F09A16DD785089EA2B10B11C03FD8D931C89912C1B79296C0EEFF1413C08A75590DDA15035075590DCEEE5D379EB5D89C252334CD4FA722EF85');
CREATE TABLE waves (
        round_id INTEGER PRIMARY KEY REFERENCES rounds (id) ON DELETE CASCADE,
        waves TEXT NOT NULL);
INSERT INTO "waves" VALUES(1,'[[[0,1,2]]]');
INSERT INTO "waves" VALUES(2,'[[[0,1,2]]]');
INSERT INTO "waves" VALUES(3,'[[[0,1,2]]]');
CREATE TABLE wear (
        round TEXT PRIMARY KEY,
        at REAL NOT NULL,
        bytes TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "wear" VALUES('64ce9b2f3fff484eb46c030d166e7f77',1.79580686471773219104e+09,'[[431718400,[0,1,2]]]');
INSERT INTO "wear" VALUES('80452060d5e945bc99789ee3de19717b',1.79580685354184556006e+09,'[[863436800,[0,1,2]]]');
INSERT INTO "wear" VALUES('d3f0f960fb4b496e98b06673a9e76497',1.79580684589137864115e+09,'[[3221225472,[0,1,2]]]');
CREATE INDEX rounds_by_state ON rounds (state);
CREATE INDEX results_by_osd ON results (osd, round_id);
CREATE INDEX results_by_rank ON results (round_id, percent_of_peers, osd);
CREATE INDEX rounds_by_profile ON rounds (profile, id, state, verdict, created_at);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('rounds',3);
COMMIT;
