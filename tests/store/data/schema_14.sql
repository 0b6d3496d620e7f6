-- A database as version 1.0.0 wrote it at schema 14. Data: never edited, never made anew.
PRAGMA user_version = 14;
BEGIN TRANSACTION;
CREATE TABLE baselines (
        profile TEXT PRIMARY KEY,
        round_id INTEGER NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
        set_at REAL NOT NULL) WITHOUT ROWID;
INSERT INTO "baselines" VALUES('osd-iops',4,1700000700.0);
CREATE TABLE cluster_spans (
        level INTEGER NOT NULL,
        start INTEGER NOT NULL,
        since INTEGER NOT NULL,
        data TEXT NOT NULL,
        PRIMARY KEY (level, start, since)) WITHOUT ROWID;
INSERT INTO "cluster_spans" VALUES(300,1699920000,1699920007,'{"start": 1699920000, "seconds": 300, "osds": 3, "latency": [["", "commit", 3, 0.01, 0.02, 0.03]], "work": [], "apart": [], "more_apart": 0, "restarted": [[2, 1699920015]], "went_down": [], "silent": [], "more_silent": 0, "watched": [], "known": null, "more_restarted": 0, "more_went_down": 0}');
INSERT INTO "cluster_spans" VALUES(3600,1699920000,1699920007,'{"start": 1699920000, "seconds": 3600, "osds": 3, "latency": [["", "commit", 3, 0.01, 0.02, 0.03]], "work": [], "apart": [], "more_apart": 0, "restarted": [[2, 1699920015]], "went_down": [], "silent": [], "more_silent": 0, "watched": [], "known": null, "more_restarted": 0, "more_went_down": 0}');
CREATE TABLE episodes (
        start REAL PRIMARY KEY,
        end REAL,
        data TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "episodes" VALUES(1700000410.0,1700000470.5,'{"start": 1700000410.0, "end": 1700000470.5, "peak": 12, "laggy_pg_seconds": 400.0, "suspects": [{"osd": 2, "laggy_pg_seconds": 300.0, "part": 0.75, "share": 0.4, "stale_seconds": 20.0, "slow_ops": 3}], "osds": [{"osd": 2, "laggy_pg_seconds": 300.0, "pg_seconds": 750.0}], "pools": ["rbd"], "stuck": false, "round_id": 5}');
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
INSERT INTO "findings" VALUES(1,'PERF_BENCH_SLOW_OSD','warning','osd','2','osd.2 on host-2 is 3.1 times as slow as its peers','{"ratio":3.1,"channel":"commit","said":{"message":{"code":"x","text":"t","values":{}},"why":{"code":"y","text":"u","values":{}}}}',1700000400.0,1700001300.0,'open',NULL,NULL,'{"text":"disk ordered","at":1700001200.0,"by":null}');
INSERT INTO "findings" VALUES(2,'PERF_BENCH_SLOW_OSD','warning','host','host-1','osd.2 on host-2 is 3.1 times as slow as its peers','{"ratio":3.1,"channel":"commit","said":{"code":"x","text":"t","values":{}}}',1700000400.0,1700001300.0,'closed',NULL,1700001000.0,NULL);
CREATE TABLE host_facts (
        host TEXT PRIMARY KEY,
        received_at REAL NOT NULL,
        data BLOB NOT NULL, memory BLOB) WITHOUT ROWID;
INSERT INTO "host_facts" VALUES('host-0',1700000500.0,X'789CAB564ACB2FCA4D2C51B25230D45150CAC82F0631C1B4AE81125024393F272735B92435251EAC48C9C8C0C858D7D050D7D024C4C8C8CAD0D8CAC8200AA42EBF38A518281F5DAD949902A40D804229A96599C9A9204DC529894AB5B1B5009A151E61',NULL);
CREATE TABLE loads (
        round_id INTEGER NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
        repeat INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (round_id, repeat)) WITHOUT ROWID;
INSERT INTO "loads" VALUES(4,1,X'789C258AD10A404010007F65DB6769A528BF22E962436D7BBA5D49F2EF4EE671666E4CBC7370ECA02A00CD43729EC75FB4F4D1109594DBB95E59E2241BAB1B986F229082424D60E03182445D309FE950CB6B3F3C2F46461C8D');
CREATE TABLE newest (
        osd INTEGER NOT NULL,
        profile TEXT NOT NULL,
        round_id INTEGER,
        PRIMARY KEY (osd, profile)) WITHOUT ROWID;
INSERT INTO "newest" VALUES(0,'osd-iops',4);
INSERT INTO "newest" VALUES(0,'osd-throughput',2);
INSERT INTO "newest" VALUES(1,'osd-iops',4);
INSERT INTO "newest" VALUES(1,'osd-throughput',2);
INSERT INTO "newest" VALUES(2,'osd-iops',4);
INSERT INTO "newest" VALUES(2,'osd-throughput',1);
INSERT INTO "newest" VALUES(3,'osd-iops',4);
CREATE TABLE removed_rounds (
        round_id INTEGER PRIMARY KEY,
        profile TEXT NOT NULL,
        label TEXT NOT NULL,
        created_at REAL NOT NULL,
        removed_at REAL NOT NULL,
        why TEXT NOT NULL,
        rows_left INTEGER NOT NULL);
INSERT INTO "removed_rounds" VALUES(3,'osd-iops','gone',1700000300.0,1700000400.0,'''round rm''',1);
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
INSERT INTO "results" VALUES(1,0,'host-0','hdd','ACME_HD8',2,20.0,10.25,106430464.0,25.375,6.96656927277386706087e-01,-4.90200004831109481528e-01,99.0243902439023);
INSERT INTO "results" VALUES(1,1,'host-1','hdd','ACME_HD8',2,20.0,10.25,107479040.0,25.625,6.8986027432833907369e-01,4.90200004831109481528e-01,1.00985221674876981981e+02);
INSERT INTO "results" VALUES(1,2,'host-2','hdd',NULL,2,20.0,10.25,108527616.0,25.875,6.83194957668161850783e-01,NULL,NULL);
INSERT INTO "results" VALUES(2,0,'host-0','hdd','ACME_HD8',1,10.0,10.25,104857600.0,25.0,NULL,1.34898151895319040605e+00,2.00000000000000341068e+02);
INSERT INTO "results" VALUES(2,1,'host-1','hdd','ACME_HD8',1,20.0,20.25,52428800.0,12.5,NULL,-1.34898151895319040605e+00,4.99999999999999076303e+01);
INSERT INTO "results" VALUES(2,2,'host-2','hdd',NULL,0,0.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "results" VALUES(4,0,'host-0','hdd',NULL,2,1.5,1.0,16973824.0,4144.0,5.46028402460654427308e-01,0.0,100.0);
INSERT INTO "results" VALUES(4,1,'host-1','hdd',NULL,2,1.5,1.0,16973824.0,4144.0,5.46028402460654427308e-01,0.0,100.0);
INSERT INTO "results" VALUES(4,2,'host-2','hdd',NULL,2,1.5,1.0,16973824.0,4144.0,5.46028402460654427308e-01,0.0,100.0);
INSERT INTO "results" VALUES(4,3,'host-0','hdd',NULL,2,1.5,1.0,8585216.0,2096.0,1.07955233768938563265e+00,-34.0815369249194,5.05791505791504860658e+01);
INSERT INTO "results" VALUES(5,0,'host-0','hdd','ACME_HD8',0,0.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "results" VALUES(5,1,'host-1','hdd','ACME_HD8',0,0.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "results" VALUES(5,2,'host-2','hdd',NULL,0,0.0,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "rounds" VALUES(1,'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','osd-throughput','osd','done','valid','before the fan',1700000000.0,1700000001.0,1700000052.5,0,'{"profile":"osd-throughput","repeats":2,"seconds":41.0,"basis":"osd_bench limits","notes":[],"leading":0,"phases":[{"part":"","rest_seconds":0.0,"step":{"block_size":4194304,"total_bytes":1073741824,"object_size":0,"object_count":0,"operation":"write"}}]}','{"release":"16.2.15 pacific","health":"HEALTH_OK","hosts":3,"flags":["sortbitwise"]}','["median CV 0.7 % over 2 repeats"]','[]','{"osds":3,"osds_measured":3,"median_bytes_per_second":107479040.0,"median_iops":25.625,"median_cv_percent":0.6898602743283391,"slowest_osd":0,"slowest_percent_of_peers":99.0243902439023}');
INSERT INTO "rounds" VALUES(2,'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb','osd-throughput','osd','aborted','aborted','',1700000000.0,1700000101.0,1700000121.0,0,'{"profile":"osd-throughput","repeats":2,"seconds":41.0,"basis":"osd_bench limits","notes":["left out because not up: osd.3"],"leading":0,"phases":[{"part":"","rest_seconds":0.0,"step":{"block_size":4194304,"total_bytes":1073741824,"object_size":0,"object_count":0,"operation":"write"}}]}','{"release":"16.2.15 pacific","health":"HEALTH_OK","hosts":3,"flags":["sortbitwise"]}','["aborted by the operator"]','[]','{"osds":3,"osds_measured":2,"median_bytes_per_second":78643200.0,"median_iops":18.75,"median_cv_percent":null,"slowest_osd":1,"slowest_percent_of_peers":49.99999999999991}');
INSERT INTO "rounds" VALUES(4,'dddddddddddddddddddddddddddddddd','osd-iops','osd','done','valid','',1700000000.0,1700000201.0,1700000206.0,0,'{"profile":"osd-iops","repeats":2,"seconds":41.0,"basis":"osd_bench limits","notes":[],"max_repeats":10,"leading":0,"phases":[{"part":"","rest_seconds":0.0,"step":{"block_size":4096,"total_bytes":12288000,"object_size":4194304,"object_count":100,"operation":"write"}}]}','{"release":"16.2.15 pacific","health":"HEALTH_OK","hosts":3,"flags":["sortbitwise"]}','["median CV 0.5 % over 2 repeats"]','[{"code":"slow-osd","message":"osd.3 on host-0 reaches 51 % of its peers","evidence":{"osd":3,"percent_of_peers":50.579150579150486,"robust_z":-34.0815369249194,"cv_percent":1.0795523376893856}}]','{"osds":4,"osds_measured":4,"median_bytes_per_second":16973824.0,"median_iops":4144.0,"median_cv_percent":0.5460284024606544,"slowest_osd":3,"slowest_percent_of_peers":50.579150579150486,"said":[null]}');
INSERT INTO "rounds" VALUES(5,'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee','osd-throughput','osd','running',NULL,'',1700000000.0,1700000301.0,NULL,1,'{"profile":"osd-throughput","repeats":2,"seconds":41.0,"basis":"osd_bench limits","notes":[],"leading":0,"phases":[{"part":"","rest_seconds":0.0,"step":{"block_size":4194304,"total_bytes":1073741824,"object_size":0,"object_count":0,"operation":"write"}}]}','{"release":"16.2.15 pacific","health":"HEALTH_OK","hosts":3,"flags":["sortbitwise"]}','[]','[]','{}');
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
INSERT INTO "samples" VALUES(1,'write',1,0,1,1700000011.0,10.25,4194304,1073741824,10.0,105906176.0,25.25,1,NULL);
INSERT INTO "samples" VALUES(1,'write',2,0,1,1700000021.0,10.25,4194304,1073741824,10.0,106954752.0,25.5,1,NULL);
INSERT INTO "samples" VALUES(1,'write',1,1,1,1700000011.0,10.25,4194304,1073741824,10.0,106954752.0,25.5,1,NULL);
INSERT INTO "samples" VALUES(1,'write',2,1,1,1700000021.0,10.25,4194304,1073741824,10.0,108003328.0,25.75,1,NULL);
INSERT INTO "samples" VALUES(1,'write',1,2,2,1700000012.0,10.25,4194304,1073741824,10.0,108003328.0,25.75,1,NULL);
INSERT INTO "samples" VALUES(1,'write',2,2,2,1700000022.0,10.25,4194304,1073741824,10.0,109051904.0,26.0,1,NULL);
INSERT INTO "samples" VALUES(2,'write',1,0,1,1700000011.0,10.25,4194304,1073741824,10.0,104857600.0,25.0,1,NULL);
INSERT INTO "samples" VALUES(2,'write',1,1,1,1700000011.0,20.25,4194304,1073741824,20.0,52428800.0,12.5,1,NULL);
INSERT INTO "samples" VALUES(3,'write',1,0,1,1700000011.0,1.0,4096,12288000,0.75,16908288.0,4128.0,1,NULL);
INSERT INTO "samples" VALUES(3,'write',2,0,1,1700000021.0,1.0,4096,12288000,0.75,17039360.0,4160.0,1,NULL);
INSERT INTO "samples" VALUES(3,'write',1,1,1,1700000011.0,1.0,4096,12288000,0.75,16908288.0,4128.0,1,NULL);
INSERT INTO "samples" VALUES(3,'write',2,1,1,1700000021.0,1.0,4096,12288000,0.75,17039360.0,4160.0,1,NULL);
INSERT INTO "samples" VALUES(3,'write',1,2,1,1700000011.0,1.0,4096,12288000,0.75,16908288.0,4128.0,1,NULL);
INSERT INTO "samples" VALUES(3,'write',2,2,1,1700000021.0,1.0,4096,12288000,0.75,17039360.0,4160.0,1,NULL);
INSERT INTO "samples" VALUES(3,'write',1,3,2,1700000012.0,1.0,4096,12288000,0.75,8519680.0,2080.0,1,NULL);
INSERT INTO "samples" VALUES(3,'write',2,3,2,1700000022.0,1.0,4096,12288000,0.75,8650752.0,2112.0,1,NULL);
INSERT INTO "samples" VALUES(4,'write',1,0,1,1700000011.0,1.0,4096,12288000,0.75,16908288.0,4128.0,1,NULL);
INSERT INTO "samples" VALUES(4,'write',2,0,1,1700000021.0,1.0,4096,12288000,0.75,17039360.0,4160.0,1,NULL);
INSERT INTO "samples" VALUES(4,'write',1,1,1,1700000011.0,1.0,4096,12288000,0.75,16908288.0,4128.0,1,NULL);
INSERT INTO "samples" VALUES(4,'write',2,1,1,1700000021.0,1.0,4096,12288000,0.75,17039360.0,4160.0,1,NULL);
INSERT INTO "samples" VALUES(4,'write',1,2,1,1700000011.0,1.0,4096,12288000,0.75,16908288.0,4128.0,1,NULL);
INSERT INTO "samples" VALUES(4,'write',2,2,1,1700000021.0,1.0,4096,12288000,0.75,17039360.0,4160.0,1,NULL);
INSERT INTO "samples" VALUES(4,'write',1,3,2,1700000012.0,1.0,4096,12288000,0.75,8519680.0,2080.0,1,NULL);
INSERT INTO "samples" VALUES(4,'write',2,3,2,1700000022.0,1.0,4096,12288000,0.75,8650752.0,2112.0,1,NULL);
INSERT INTO "samples" VALUES(5,'write',1,0,1,1700000011.0,10.25,4194304,1073741824,10.0,104857600.0,25.0,1,NULL);
INSERT INTO "samples" VALUES(5,'write',2,0,1,1700000011.0,10.25,4194304,0,NULL,NULL,NULL,0,'as nobody ever said');
INSERT INTO "samples" VALUES(5,'write',1,1,1,1700000302.0,0.5,4194304,0,NULL,NULL,NULL,0,'osd.1 went down');
INSERT INTO "samples" VALUES(5,'write',2,1,1,1700000011.0,10.25,4194304,0,NULL,NULL,NULL,0,'osd.1 gave no answer within 60 s');
CREATE TABLE schedules (
        name TEXT PRIMARY KEY,
        schedule TEXT NOT NULL,
        state TEXT) WITHOUT ROWID;
INSERT INTO "schedules" VALUES('nightly','{"name": "nightly", "profile": "osd-iops", "every": 86400}','{"problem": "none", "said": {"problem": {"code": "z", "text": "none", "values": {}}}}');
CREATE TABLE series (
        level INTEGER NOT NULL,
        chunk INTEGER NOT NULL,
        start INTEGER NOT NULL,
        since INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (level, chunk, start, since)) WITHOUT ROWID;
INSERT INTO "series" VALUES(300,0,1699920000,1699920000,X'010104000000000000000078016B6860106100033B3B08CDC09002640000215601F50742A65F');
INSERT INTO "series" VALUES(86400,0,1699920000,1699920000,X'010104000000000000000078016B6860106100033B3B08CDC09002640000215601F50742A65F');
CREATE TABLE states (
        name TEXT PRIMARY KEY,
        at REAL NOT NULL,
        data BLOB NOT NULL) WITHOUT ROWID;
INSERT INTO "states" VALUES('slow',1700001300.0,X'7801AB564ACB2FCA4D2C51B232D451CA2F4E2956B2AA563252B28A36D033D5C92BCDC989ADAD0500D1550B6E');
CREATE TABLE waves (
        round_id INTEGER PRIMARY KEY REFERENCES rounds (id) ON DELETE CASCADE,
        waves TEXT NOT NULL);
INSERT INTO "waves" VALUES(1,'[[[0,1],[2]]]');
INSERT INTO "waves" VALUES(2,'[[[0,1],[2]]]');
INSERT INTO "waves" VALUES(4,'[[[0,1,2],[3]]]');
INSERT INTO "waves" VALUES(5,'[[[0,1],[2]]]');
CREATE TABLE wear (
        round TEXT PRIMARY KEY,
        at REAL NOT NULL,
        bytes TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "wear" VALUES('dddddddddddddddddddddddddddddddd',1700000500.0,'[[4294967296,[3]],[12884901888,[0,1,2]]]');
INSERT INTO "wear" VALUES('eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',1700001200.0,'[[12884901888,[0,1,2]]]');
CREATE INDEX rounds_by_state ON rounds (state);
CREATE INDEX results_by_osd ON results (osd, round_id);
CREATE INDEX results_by_rank ON results (round_id, percent_of_peers, osd);
CREATE INDEX rounds_by_profile ON rounds (profile, id, state, verdict, created_at);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('rounds',5);
INSERT INTO "sqlite_sequence" VALUES('findings',2);
COMMIT;
