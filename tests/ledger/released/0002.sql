BEGIN TRANSACTION;
CREATE TABLE account (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	parent INTEGER, 
	chain INTEGER NOT NULL, 
	terms TEXT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name), 
	FOREIGN KEY(parent) REFERENCES account (id)
);
INSERT INTO "account" VALUES(1,'census',NULL,1,'{"adjacency":"add_remove","dataset":null,"mode":"adaptive","unit":"person"}');
INSERT INTO "account" VALUES(2,'ana',1,1,'{"adjacency":"add_remove","dataset":null,"mode":"adaptive","unit":"person"}');
INSERT INTO "account" VALUES(3,'study',NULL,3,'{"adjacency":"add_remove","dataset":null,"mode":"plan","unit":"person"}');
INSERT INTO "account" VALUES(4,'clicks',NULL,4,'{"adjacency":"replace_one","dataset":null,"mode":"blocks","unit":"person"}');
INSERT INTO "account" VALUES(5,'clicks/mo',4,4,'{"adjacency":"replace_one","dataset":null,"mode":"block","unit":"person"}');
INSERT INTO "account" VALUES(6,'clicks/tu',4,4,'{"adjacency":"replace_one","dataset":null,"mode":"block","unit":"person"}');
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0002');
CREATE TABLE balance (
	epoch INTEGER NOT NULL, 
	place INTEGER NOT NULL, 
	cap BIGINT NOT NULL, 
	used BIGINT NOT NULL, 
	PRIMARY KEY (epoch, place), 
	CONSTRAINT within_the_cap CHECK (used >= 0 AND used <= cap), 
	FOREIGN KEY(epoch) REFERENCES epoch (id)
);
INSERT INTO "balance" VALUES(1,0,243559703595383099,103541720488968943);
INSERT INTO "balance" VALUES(1,1,0,0);
INSERT INTO "balance" VALUES(2,0,500000000000000000,200000000000000000);
INSERT INTO "balance" VALUES(2,1,0,0);
INSERT INTO "balance" VALUES(3,0,2,1);
INSERT INTO "balance" VALUES(3,1,1,0);
INSERT INTO "balance" VALUES(5,0,560289638252602854,8000000000000000);
INSERT INTO "balance" VALUES(6,0,560289638252602854,8000000000000000);
INSERT INTO "balance" VALUES(7,0,200000000000000000,0);
INSERT INTO "balance" VALUES(7,1,0,0);
CREATE TABLE book (
	id INTEGER NOT NULL CHECK (id = 1), 
	store TEXT NOT NULL, 
	created TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "book" VALUES(1,'fa10b172db3de0cb801cd4da9e45838b','2026-11-15T23:53:30.948288Z');
CREATE TABLE checkpoint (
	chain INTEGER NOT NULL, 
	height BIGINT NOT NULL, 
	"key" TEXT NOT NULL, 
	body TEXT NOT NULL, 
	signature TEXT NOT NULL, 
	PRIMARY KEY (chain, height, "key")
);
INSERT INTO "checkpoint" VALUES(0,8,'7c98894f5abd75542b9dd8e290ec5ac6dbe7c534ec7ab20234c525df924b4693','{"at":"2026-11-15T23:53:31.579612Z","chain":0,"hash":"0aeb13c3afe33062e675a736d7e339a893d643b7ad34c7c30f4686ecd6ffbbb9","height":8,"key":"7c98894f5abd75542b9dd8e290ec5ac6dbe7c534ec7ab20234c525df924b4693","schema":"dpc.checkpoint/1","store":"fa10b172db3de0cb801cd4da9e45838b"}','01d64fac014c404bb22c851197f44e0f07c9db1dd53fd88a4337f256bda1fd2920f33ddfac055744e9d3119bc04bfa28874616428faba1e3706a79910072aa01');
INSERT INTO "checkpoint" VALUES(1,17,'7c98894f5abd75542b9dd8e290ec5ac6dbe7c534ec7ab20234c525df924b4693','{"at":"2026-11-15T23:53:31.592547Z","chain":1,"hash":"2a3e7651f3b794c815b515ec13a48fe46de12dc463abd28aa32002b958307d64","height":17,"key":"7c98894f5abd75542b9dd8e290ec5ac6dbe7c534ec7ab20234c525df924b4693","schema":"dpc.checkpoint/1","store":"fa10b172db3de0cb801cd4da9e45838b"}','6d8588ead4d9978fc8d3ca3d9486802405a831d7aecf3ac0dd001e3d36673a8a42e1c4ff2b7167f4db22a57220bb6ec27fd5fb520442cca74f079259dd1e2105');
INSERT INTO "checkpoint" VALUES(3,2,'7c98894f5abd75542b9dd8e290ec5ac6dbe7c534ec7ab20234c525df924b4693','{"at":"2026-11-15T23:53:31.592973Z","chain":3,"hash":"1a1856dd7a8fcf7085be058ae79a14188446e34bf88eaabd9acaeae9a9a0d102","height":2,"key":"7c98894f5abd75542b9dd8e290ec5ac6dbe7c534ec7ab20234c525df924b4693","schema":"dpc.checkpoint/1","store":"fa10b172db3de0cb801cd4da9e45838b"}','a448911c6fd033bca811a25c6e1014ee60b83c12a9e58ecaa56df8a8cb552af56134edde82ddd4a4b1a71aaf9f8a97c111b5850cd527211d3ca52ab947b7b300');
INSERT INTO "checkpoint" VALUES(4,2,'7c98894f5abd75542b9dd8e290ec5ac6dbe7c534ec7ab20234c525df924b4693','{"at":"2026-11-15T23:53:31.593315Z","chain":4,"hash":"00bac94ce7d62caed8a80ad1ccb91969430999710b78ef6ce4201528bb10e5fd","height":2,"key":"7c98894f5abd75542b9dd8e290ec5ac6dbe7c534ec7ab20234c525df924b4693","schema":"dpc.checkpoint/1","store":"fa10b172db3de0cb801cd4da9e45838b"}','27ac048a537f0369dd5f02b322e7817efcd4cddcf66b981c3d0c024eeac859765f6771c7da72da8f26ad681883ddf8ee1cab9935101356cd9cfcb3707ae9860d');
CREATE TABLE entry (
	chain INTEGER NOT NULL, 
	height BIGINT NOT NULL, 
	account INTEGER, 
	"key" TEXT, 
	phase SMALLINT CHECK (phase BETWEEN 1 AND 3), 
	kind TEXT NOT NULL, 
	body TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	PRIMARY KEY (chain, height), 
	FOREIGN KEY(account) REFERENCES account (id)
);
INSERT INTO "entry" VALUES(0,1,NULL,NULL,NULL,'open','{"at":"2026-11-15T23:53:30.948288Z","chain":0,"height":1,"kind":"open","prev":"0000000000000000000000000000000000000000000000000000000000000000","schema":"dpc.entry/1","store":"fa10b172db3de0cb801cd4da9e45838b"}','4c7dedbaf9663abec36e5d86a2bf8e4b506e4d2ea9cc39109629e4673aba0bad');
INSERT INTO "entry" VALUES(0,2,1,NULL,NULL,'create','{"account":1,"at":"2026-11-15T23:53:31.165605Z","chain":0,"epoch":1,"height":2,"kind":"create","name":"census","parent":null,"prev":"4c7dedbaf9663abec36e5d86a2bf8e4b506e4d2ea9cc39109629e4673aba0bad","rule":{"caps":["243559703595383099","0"],"coordinates":["rho","delta"],"delta":"1/1000000","epsilon":"1","exact_caps":["243559703595383099/10000000000000000000","0"],"filter":"zcdp","kind":"filter","orders":[],"units":["1/10000000000000000000","1"]},"schema":"dpc.entry/1","terms":{"adjacency":"add_remove","dataset":null,"mode":"adaptive","unit":"person"},"token":"ad201fc713b492ba"}','beb207f8c538d23bcfb6c987edac0cb4171c65af369c945a389b6e6d25af52d3');
INSERT INTO "entry" VALUES(0,3,2,NULL,NULL,'create','{"account":2,"at":"2026-11-15T23:53:31.198069Z","chain":0,"epoch":2,"height":3,"kind":"create","name":"ana","parent":1,"prev":"beb207f8c538d23bcfb6c987edac0cb4171c65af369c945a389b6e6d25af52d3","rule":{"caps":["500000000000000000","0"],"coordinates":["epsilon","delta"],"delta":"0","epsilon":"1/2","exact_caps":["1/2","0"],"filter":"basic","kind":"filter","orders":[],"units":["1/1000000000000000000","1"]},"schema":"dpc.entry/1","terms":{"adjacency":"add_remove","dataset":null,"mode":"adaptive","unit":"person"},"token":"015b0daf973a5f29"}','f4ee231c5da15169e9f7ffc78b566ff6747f08402f71e42487bb615e4f211233');
INSERT INTO "entry" VALUES(0,4,3,NULL,NULL,'create','{"account":3,"at":"2026-11-15T23:53:31.269265Z","chain":0,"epoch":3,"height":4,"kind":"create","name":"study","parent":null,"prev":"f4ee231c5da15169e9f7ffc78b566ff6747f08402f71e42487bb615e4f211233","rule":{"caps":["2","1"],"coordinates":["slot 1: Laplace(scale=10)","slot 2: Gaussian(noise_std=5)"],"delta":"1/1000000","epsilon":"8765172148263595/9007199254740992","kind":"plan","slots":[{"count":2,"mechanism":{"adjacency":"add_remove","kind":"laplace","scale":"10","schema":"dpc.mechanism/1","sensitivity":"1"}},{"count":1,"mechanism":{"adjacency":"add_remove","kind":"gaussian","noise_std":"5","schema":"dpc.mechanism/1","sensitivity":"1"}}],"units":["1","1"]},"schema":"dpc.entry/1","terms":{"adjacency":"add_remove","dataset":null,"mode":"plan","unit":"person"},"token":"f31f7e768f79ff37"}','3a9408936b24eef9d7d047f449f2cf06bf5015f32abb7f6fcfdb7db30a3cab6d');
INSERT INTO "entry" VALUES(0,5,4,NULL,NULL,'create','{"account":4,"at":"2026-11-15T23:53:31.298749Z","chain":0,"epoch":4,"height":5,"kind":"create","name":"clicks","parent":null,"prev":"3a9408936b24eef9d7d047f449f2cf06bf5015f32abb7f6fcfdb7db30a3cab6d","rule":{"caps":["560289638252602854"],"coordinates":["mu_squared"],"delta":"1/1000000","epsilon":"1","exact_caps":["280144819126301427/5000000000000000000"],"filter":"gdp","kind":"filter","orders":[],"units":["1/10000000000000000000"]},"schema":"dpc.entry/1","terms":{"adjacency":"replace_one","dataset":null,"mode":"blocks","unit":"person"},"token":"932a0779100fbe58"}','932c4a8d561ad526176a9d432f90d00c3311b7a81d78ac3cb3c7d915f28d6120');
INSERT INTO "entry" VALUES(0,6,5,NULL,NULL,'create','{"account":5,"at":"2026-11-15T23:53:31.327790Z","chain":0,"epoch":5,"height":6,"kind":"create","name":"clicks/mo","parent":4,"prev":"932c4a8d561ad526176a9d432f90d00c3311b7a81d78ac3cb3c7d915f28d6120","rule":{"caps":["560289638252602854"],"coordinates":["mu_squared"],"delta":"1/1000000","epsilon":"1","exact_caps":["280144819126301427/5000000000000000000"],"filter":"gdp","kind":"filter","orders":[],"units":["1/10000000000000000000"]},"schema":"dpc.entry/1","terms":{"adjacency":"replace_one","dataset":null,"mode":"block","unit":"person"},"token":"03f636600c17c701"}','09392c0d3f378aeea5b266ae02dfa0b2a283e6fd471d2fd5d013701d848ae15b');
INSERT INTO "entry" VALUES(0,7,6,NULL,NULL,'create','{"account":6,"at":"2026-11-15T23:53:31.345161Z","chain":0,"epoch":6,"height":7,"kind":"create","name":"clicks/tu","parent":4,"prev":"09392c0d3f378aeea5b266ae02dfa0b2a283e6fd471d2fd5d013701d848ae15b","rule":{"caps":["560289638252602854"],"coordinates":["mu_squared"],"delta":"1/1000000","epsilon":"1","exact_caps":["280144819126301427/5000000000000000000"],"filter":"gdp","kind":"filter","orders":[],"units":["1/10000000000000000000"]},"schema":"dpc.entry/1","terms":{"adjacency":"replace_one","dataset":null,"mode":"block","unit":"person"},"token":"96dd38a91026f851"}','f25177bdb477092d70513191bb6a08fe8a9eb597c128f1949d04d1c0ae49bb89');
INSERT INTO "entry" VALUES(1,1,1,'k0',1,'reserve','{"account":"census","at":"2026-11-15T23:53:31.384839Z","chain":1,"charges":[{"account":"census","change":["499995833375000","0"],"epoch":1,"used":["499995833375000","0"]}],"height":1,"key":"k0","kind":"reserve","prev":"beb207f8c538d23bcfb6c987edac0cb4171c65af369c945a389b6e6d25af52d3","purpose":"monthly count","schema":"dpc.entry/1","token":"2afc528068b7d185","what":{"mechanism":{"adjacency":"add_remove","kind":"laplace","scale":"100","schema":"dpc.mechanism/1","sensitivity":"1"}},"who":"ana"}','1a58a5248f7577988102f822cc691889a94ad6a263be04a42ecb795c29274a6c');
INSERT INTO "entry" VALUES(1,2,1,'k0',2,'start','{"account":"census","at":"2026-11-15T23:53:31.384867Z","chain":1,"height":2,"key":"k0","kind":"start","prev":"1a58a5248f7577988102f822cc691889a94ad6a263be04a42ecb795c29274a6c","schema":"dpc.entry/1","token":"2afc528068b7d185"}','adef8654b15cfe9bbbd96022558e5e7ae2057cf5c232877c260f17adfdf17c3b');
INSERT INTO "entry" VALUES(1,3,1,'k0',3,'commit','{"account":"census","at":"2026-11-15T23:53:31.407483Z","chain":1,"height":3,"key":"k0","kind":"commit","prev":"adef8654b15cfe9bbbd96022558e5e7ae2057cf5c232877c260f17adfdf17c3b","schema":"dpc.entry/1","token":"2afc528068b7d185"}','dd15f9dbbb819af9ced91cc16299f14fd345b2e6d771dd1ace18e128d9f7b659');
INSERT INTO "entry" VALUES(1,4,1,'k1',1,'reserve','{"account":"census","at":"2026-11-15T23:53:31.408525Z","chain":1,"charges":[{"account":"census","change":["499995833375000","0"],"epoch":1,"used":["999991666750000","0"]}],"height":4,"key":"k1","kind":"reserve","prev":"dd15f9dbbb819af9ced91cc16299f14fd345b2e6d771dd1ace18e128d9f7b659","purpose":"monthly count","schema":"dpc.entry/1","token":"b37ec25c67c8fd9d","what":{"mechanism":{"adjacency":"add_remove","kind":"laplace","scale":"100","schema":"dpc.mechanism/1","sensitivity":"1"}},"who":"ana"}','94ec1160d0e0ca56d205a93a128d3dcf1fd97877201bafc926eaffff0f4177cd');
INSERT INTO "entry" VALUES(1,5,1,'k1',2,'start','{"account":"census","at":"2026-11-15T23:53:31.408540Z","chain":1,"height":5,"key":"k1","kind":"start","prev":"94ec1160d0e0ca56d205a93a128d3dcf1fd97877201bafc926eaffff0f4177cd","schema":"dpc.entry/1","token":"b37ec25c67c8fd9d"}','66cbabcb561d33eaef7c01b03cb169fb9c12ee79b22334bfd48fb6fcc1fb3cd0');
INSERT INTO "entry" VALUES(1,6,1,'k1',3,'commit','{"account":"census","at":"2026-11-15T23:53:31.423523Z","chain":1,"height":6,"key":"k1","kind":"commit","prev":"66cbabcb561d33eaef7c01b03cb169fb9c12ee79b22334bfd48fb6fcc1fb3cd0","schema":"dpc.entry/1","token":"b37ec25c67c8fd9d"}','3ae1cd7eca82a529c0bd93940987b48de9b6826a045c130214c6bd88149e4331');
INSERT INTO "entry" VALUES(1,7,1,'k2',1,'reserve','{"account":"census","at":"2026-11-15T23:53:31.424598Z","chain":1,"charges":[{"account":"census","change":["499995833375000","0"],"epoch":1,"used":["1499987500125000","0"]}],"height":7,"key":"k2","kind":"reserve","prev":"3ae1cd7eca82a529c0bd93940987b48de9b6826a045c130214c6bd88149e4331","purpose":"monthly count","schema":"dpc.entry/1","token":"7158b6c1ef526c46","what":{"mechanism":{"adjacency":"add_remove","kind":"laplace","scale":"100","schema":"dpc.mechanism/1","sensitivity":"1"}},"who":"ana"}','96b747cc37ceec051d8707587ceb95abb388a3c57d24336054c6c09c4b3b386c');
INSERT INTO "entry" VALUES(1,8,1,'k2',2,'start','{"account":"census","at":"2026-11-15T23:53:31.424613Z","chain":1,"height":8,"key":"k2","kind":"start","prev":"96b747cc37ceec051d8707587ceb95abb388a3c57d24336054c6c09c4b3b386c","schema":"dpc.entry/1","token":"7158b6c1ef526c46"}','890ca4598e6b5ab3cc86cde23e92d51b2b41fabe5ce7509d32e16414ac091ef6');
INSERT INTO "entry" VALUES(1,9,1,'k2',3,'commit','{"account":"census","at":"2026-11-15T23:53:31.443593Z","chain":1,"height":9,"key":"k2","kind":"commit","prev":"890ca4598e6b5ab3cc86cde23e92d51b2b41fabe5ce7509d32e16414ac091ef6","schema":"dpc.entry/1","token":"7158b6c1ef526c46"}','1c4e587b2b20157daaab0360617591a008ac9a109a9cb6caf47923a75de2e5f9');
INSERT INTO "entry" VALUES(1,10,2,'x',1,'reserve','{"account":"ana","at":"2026-11-15T23:53:31.451224Z","chain":1,"charges":[{"account":"ana","change":["100000000000000000","0"],"epoch":2,"used":["100000000000000000","0"]},{"account":"census","change":["49958374957879979","0"],"epoch":1,"used":["51458362458004979","0"]}],"height":10,"key":"x","kind":"reserve","prev":"1c4e587b2b20157daaab0360617591a008ac9a109a9cb6caf47923a75de2e5f9","purpose":"","schema":"dpc.entry/1","token":"f1949b0f739feee7","what":{"mechanism":{"delta":"0","epsilon":"0.1","kind":"black_box","schema":"dpc.mechanism/1"}},"who":"root"}','283dfd6072c14ebf7ecdb2357e194d455a07bb3429f8ded95a8080b2f97feb56');
INSERT INTO "entry" VALUES(1,11,2,'x',2,'start','{"account":"ana","at":"2026-11-15T23:53:31.451244Z","chain":1,"height":11,"key":"x","kind":"start","prev":"283dfd6072c14ebf7ecdb2357e194d455a07bb3429f8ded95a8080b2f97feb56","schema":"dpc.entry/1","token":"f1949b0f739feee7"}','2888a9d77736ca23429d657c0d38a5bf25558cd4b1f229570bf9d5ef5df6846f');
INSERT INTO "entry" VALUES(1,12,2,'x',3,'abandon','{"account":"ana","at":"2026-11-15T23:53:31.463521Z","chain":1,"height":12,"key":"x","kind":"abandon","prev":"2888a9d77736ca23429d657c0d38a5bf25558cd4b1f229570bf9d5ef5df6846f","schema":"dpc.entry/1","token":"f1949b0f739feee7","why":"gone"}','08eeedf3e26bb27c96d1a2a8cfa612c27a26c92aa2661b90daee0f9a71275d59');
INSERT INTO "entry" VALUES(1,13,2,'y',1,'reserve','{"account":"ana","at":"2026-11-15T23:53:31.464650Z","chain":1,"charges":[{"account":"ana","change":["100000000000000000","0"],"epoch":2,"used":["200000000000000000","0"]},{"account":"census","change":["49958374957879979","0"],"epoch":1,"used":["101416737415884958","0"]}],"height":13,"key":"y","kind":"reserve","prev":"08eeedf3e26bb27c96d1a2a8cfa612c27a26c92aa2661b90daee0f9a71275d59","purpose":"","schema":"dpc.entry/1","token":"ea16044adde58a7c","what":{"mechanism":{"delta":"0","epsilon":"0.1","kind":"black_box","schema":"dpc.mechanism/1"}},"who":"root"}','b3eecb370960a580e4f813b82d683d2455fc517edb5d647d96320a98c831fdfb');
INSERT INTO "entry" VALUES(1,14,2,'y',2,'cancel','{"account":"ana","at":"2026-11-15T23:53:31.483552Z","chain":1,"charges":[{"account":"ana","change":["-100000000000000000","0"],"epoch":2},{"account":"census","change":["-49958374957879979","0"],"epoch":1}],"height":14,"key":"y","kind":"cancel","prev":"b3eecb370960a580e4f813b82d683d2455fc517edb5d647d96320a98c831fdfb","schema":"dpc.entry/1","token":"ea16044adde58a7c"}','178d9c4be64e0eec0210c72ba3c31cbcb4a3f68b242e4da0c1d1e18302789003');
INSERT INTO "entry" VALUES(1,15,2,'z',1,'reserve','{"account":"ana","at":"2026-11-15T23:53:31.491768Z","chain":1,"charges":[{"account":"ana","change":["100000000000000000","0"],"epoch":2,"used":["200000000000000000","0"]},{"account":"census","change":["49958374957879979","0"],"epoch":1,"used":["101416737415884958","0"]}],"height":15,"key":"z","kind":"reserve","prev":"178d9c4be64e0eec0210c72ba3c31cbcb4a3f68b242e4da0c1d1e18302789003","purpose":"","schema":"dpc.entry/1","token":"5f72d5f6b62f3df7","what":{"mechanism":{"delta":"0","epsilon":"0.1","kind":"black_box","schema":"dpc.mechanism/1"}},"who":"root"}','71c35d66478195c6b717f3273f846baabe72584b3b84c119524d395ba742f88e');
INSERT INTO "entry" VALUES(3,1,3,'slot',1,'reserve','{"account":"study","at":"2026-11-15T23:53:31.509087Z","chain":3,"charges":[{"account":"study","change":["1","0"],"epoch":3,"used":["1","0"]}],"height":1,"key":"slot","kind":"reserve","prev":"3a9408936b24eef9d7d047f449f2cf06bf5015f32abb7f6fcfdb7db30a3cab6d","purpose":"","schema":"dpc.entry/1","token":"88a37d7f6f16090e","what":{"mechanism":{"adjacency":"add_remove","kind":"laplace","scale":"12","schema":"dpc.mechanism/1","sensitivity":"1"}},"who":"root"}','d38515b61bdc34906a5c55ae61d02ecb8bc25b890b86f34cde72f6009c6fc90b');
INSERT INTO "entry" VALUES(3,2,3,'slot',2,'start','{"account":"study","at":"2026-11-15T23:53:31.509106Z","chain":3,"height":2,"key":"slot","kind":"start","prev":"d38515b61bdc34906a5c55ae61d02ecb8bc25b890b86f34cde72f6009c6fc90b","schema":"dpc.entry/1","token":"88a37d7f6f16090e"}','1a1856dd7a8fcf7085be058ae79a14188446e34bf88eaabd9acaeae9a9a0d102');
INSERT INTO "entry" VALUES(4,1,4,'b',1,'reserve','{"account":"clicks","at":"2026-11-15T23:53:31.529168Z","chain":4,"charges":[{"account":"clicks/mo","change":["8000000000000000"],"epoch":5,"used":["8000000000000000"]},{"account":"clicks/tu","change":["8000000000000000"],"epoch":6,"used":["8000000000000000"]}],"height":1,"key":"b","kind":"reserve","prev":"932c4a8d561ad526176a9d432f90d00c3311b7a81d78ac3cb3c7d915f28d6120","purpose":"","schema":"dpc.entry/1","token":"6e86b450300ab713","what":{"blocks":["mo","tu"],"mechanism":{"adjacency":"replace_one","kind":"gaussian","noise_std":"50","schema":"dpc.mechanism/1","sensitivity":"1"}},"who":"root"}','3dbce9813133563837a37ddb28cf6cbf5cc0ff8087be9cea6ba7bddfe60023ce');
INSERT INTO "entry" VALUES(4,2,4,'b',2,'start','{"account":"clicks","at":"2026-11-15T23:53:31.529186Z","chain":4,"height":2,"key":"b","kind":"start","prev":"3dbce9813133563837a37ddb28cf6cbf5cc0ff8087be9cea6ba7bddfe60023ce","schema":"dpc.entry/1","token":"6e86b450300ab713"}','00bac94ce7d62caed8a80ad1ccb91969430999710b78ef6ce4201528bb10e5fd');
INSERT INTO "entry" VALUES(1,16,1,'parts',1,'reserve','{"account":"census","at":"2026-11-15T23:53:31.552612Z","chain":1,"charges":[{"account":"census","change":["124999739583985","0"],"epoch":1,"used":["101541737155468943","0"]}],"height":16,"key":"parts","kind":"reserve","prev":"71c35d66478195c6b717f3273f846baabe72584b3b84c119524d395ba742f88e","purpose":"","schema":"dpc.entry/1","token":"b8e683ac5346d154","what":{"parts":{"n":{"adjacency":"add_remove","kind":"laplace","scale":"200","schema":"dpc.mechanism/1","sensitivity":"1"},"s":{"adjacency":"add_remove","kind":"laplace","scale":"300","schema":"dpc.mechanism/1","sensitivity":"1"}}},"who":"root"}','6a403f271973ce45cebca267d3052f16be24f9bf24a0cecc1644fcfb79e01ffc');
INSERT INTO "entry" VALUES(1,17,1,'parts',2,'start','{"account":"census","at":"2026-11-15T23:53:31.552631Z","chain":1,"height":17,"key":"parts","kind":"start","prev":"6a403f271973ce45cebca267d3052f16be24f9bf24a0cecc1644fcfb79e01ffc","schema":"dpc.entry/1","token":"b8e683ac5346d154"}','2a3e7651f3b794c815b515ec13a48fe46de12dc463abd28aa32002b958307d64');
INSERT INTO "entry" VALUES(0,8,2,NULL,NULL,'epoch','{"account":2,"at":"2026-11-15T23:53:31.561292Z","chain":0,"epoch":7,"guarantee":{"delta":"0","epsilon":"7/10"},"height":8,"kind":"epoch","number":2,"prev":"f25177bdb477092d70513191bb6a08fe8a9eb597c128f1949d04d1c0ae49bb89","rule":{"caps":["200000000000000000","0"],"coordinates":["epsilon","delta"],"delta":"0","epsilon":"1/5","exact_caps":["1/5","0"],"filter":"basic","kind":"filter","orders":[],"units":["1/1000000000000000000","1"]},"schema":"dpc.entry/1"}','0aeb13c3afe33062e675a736d7e339a893d643b7ad34c7c30f4686ecd6ffbbb9');
INSERT INTO "entry" VALUES(1,18,1,'second-0',1,'reserve','{"account":"census","at":"2026-11-16T06:36:33.620725Z","chain":1,"charges":[{"account":"census","change":["499995833375000","0"],"epoch":1,"used":["102041732988843943","0"]}],"height":18,"key":"second-0","kind":"reserve","prev":"2a3e7651f3b794c815b515ec13a48fe46de12dc463abd28aa32002b958307d64","purpose":"","schema":"dpc.entry/1","token":"904456cf6a75801a","what":{"mechanism":{"adjacency":"add_remove","kind":"laplace","scale":"100","schema":"dpc.mechanism/1","sensitivity":"1"}},"who":"ana"}','10647db1840288fe0a65f826e358545654cc1f1c7ac7e1706bd70315a1964bf6');
INSERT INTO "entry" VALUES(1,19,1,'second-0',2,'start','{"account":"census","at":"2026-11-16T06:36:33.620725Z","chain":1,"height":19,"key":"second-0","kind":"start","prev":"10647db1840288fe0a65f826e358545654cc1f1c7ac7e1706bd70315a1964bf6","schema":"dpc.entry/1","token":"904456cf6a75801a"}','f6c2ebefdc2ff082825cdaae051c4ea69f0d8d1cf626e17b2051a37715f6f67c');
INSERT INTO "entry" VALUES(1,20,1,'second-0',3,'commit','{"account":"census","at":"2026-11-16T06:36:33.622903Z","chain":1,"height":20,"key":"second-0","kind":"commit","prev":"f6c2ebefdc2ff082825cdaae051c4ea69f0d8d1cf626e17b2051a37715f6f67c","schema":"dpc.entry/1","token":"904456cf6a75801a"}','3f0f69ebf625fe13656aba3060708095aa3ac3846e4c8c628e3497d21a8e27b6');
INSERT INTO "entry" VALUES(1,21,1,'second-1',1,'reserve','{"account":"census","at":"2026-11-16T06:36:33.623543Z","chain":1,"charges":[{"account":"census","change":["499995833375000","0"],"epoch":1,"used":["102541728822218943","0"]}],"height":21,"key":"second-1","kind":"reserve","prev":"3f0f69ebf625fe13656aba3060708095aa3ac3846e4c8c628e3497d21a8e27b6","purpose":"","schema":"dpc.entry/1","token":"450ce3893870e930","what":{"mechanism":{"adjacency":"add_remove","kind":"laplace","scale":"100","schema":"dpc.mechanism/1","sensitivity":"1"}},"who":"ana"}','a2801831fdbb4505f745809fa3d9032f7944697b48a40ca40ec717108d1d550a');
INSERT INTO "entry" VALUES(1,22,1,'second-1',2,'start','{"account":"census","at":"2026-11-16T06:36:33.623543Z","chain":1,"height":22,"key":"second-1","kind":"start","prev":"a2801831fdbb4505f745809fa3d9032f7944697b48a40ca40ec717108d1d550a","schema":"dpc.entry/1","token":"450ce3893870e930"}','a9db5aae82ab09b5fc3296f25265c96a4874454703acee5d9ecba2234d2610af');
INSERT INTO "entry" VALUES(1,23,1,'second-1',3,'commit','{"account":"census","at":"2026-11-16T06:36:33.630794Z","chain":1,"height":23,"key":"second-1","kind":"commit","prev":"a9db5aae82ab09b5fc3296f25265c96a4874454703acee5d9ecba2234d2610af","schema":"dpc.entry/1","token":"450ce3893870e930"}','0a9abe69cdd2889a6fc7cba951159202847b930cb5fb0d7a5b819be13489aed0');
INSERT INTO "entry" VALUES(1,24,1,'second-2',1,'reserve','{"account":"census","at":"2026-11-16T06:36:33.631148Z","chain":1,"charges":[{"account":"census","change":["499995833375000","0"],"epoch":1,"used":["103041724655593943","0"]}],"height":24,"key":"second-2","kind":"reserve","prev":"0a9abe69cdd2889a6fc7cba951159202847b930cb5fb0d7a5b819be13489aed0","purpose":"","schema":"dpc.entry/1","token":"7cb5779d6b1a2cc6","what":{"mechanism":{"adjacency":"add_remove","kind":"laplace","scale":"100","schema":"dpc.mechanism/1","sensitivity":"1"}},"who":"ana"}','9debce325c5603ba22444927ab3f71798debb91c3475d5641eea954df185156a');
INSERT INTO "entry" VALUES(1,25,1,'second-2',2,'start','{"account":"census","at":"2026-11-16T06:36:33.631148Z","chain":1,"height":25,"key":"second-2","kind":"start","prev":"9debce325c5603ba22444927ab3f71798debb91c3475d5641eea954df185156a","schema":"dpc.entry/1","token":"7cb5779d6b1a2cc6"}','a0758e1bdc52c5547c6a3ffd06ca577dae8211f919f5a2cbebd20f481c65401f');
INSERT INTO "entry" VALUES(1,26,1,'second-2',3,'commit','{"account":"census","at":"2026-11-16T06:36:33.634776Z","chain":1,"height":26,"key":"second-2","kind":"commit","prev":"a0758e1bdc52c5547c6a3ffd06ca577dae8211f919f5a2cbebd20f481c65401f","schema":"dpc.entry/1","token":"7cb5779d6b1a2cc6"}','64cab10200f466edaaf349d5f294114778052a2ee303a1cbd87fb1afd3b2e756');
INSERT INTO "entry" VALUES(1,27,1,'held',1,'reserve','{"account":"census","at":"2026-11-16T06:36:33.635106Z","chain":1,"charges":[{"account":"census","change":["499995833375000","0"],"epoch":1,"used":["103541720488968943","0"]}],"height":27,"key":"held","kind":"reserve","prev":"64cab10200f466edaaf349d5f294114778052a2ee303a1cbd87fb1afd3b2e756","purpose":"","schema":"dpc.entry/1","token":"08545e5c7182b99d","what":{"mechanism":{"adjacency":"add_remove","kind":"laplace","scale":"100","schema":"dpc.mechanism/1","sensitivity":"1"}},"who":"ana"}','651b48cb56ea3d76fd3844c5e9766bb15d997d08ccae253bed7095e7d2c5bb74');
CREATE TABLE epoch (
	id INTEGER NOT NULL, 
	account INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	rule TEXT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (account, number), 
	FOREIGN KEY(account) REFERENCES account (id)
);
INSERT INTO "epoch" VALUES(1,1,1,'{"caps":["243559703595383099","0"],"coordinates":["rho","delta"],"delta":"1/1000000","epsilon":"1","exact_caps":["243559703595383099/10000000000000000000","0"],"filter":"zcdp","kind":"filter","orders":[],"units":["1/10000000000000000000","1"]}');
INSERT INTO "epoch" VALUES(2,2,1,'{"caps":["500000000000000000","0"],"coordinates":["epsilon","delta"],"delta":"0","epsilon":"1/2","exact_caps":["1/2","0"],"filter":"basic","kind":"filter","orders":[],"units":["1/1000000000000000000","1"]}');
INSERT INTO "epoch" VALUES(3,3,1,'{"caps":["2","1"],"coordinates":["slot 1: Laplace(scale=10)","slot 2: Gaussian(noise_std=5)"],"delta":"1/1000000","epsilon":"8765172148263595/9007199254740992","kind":"plan","slots":[{"count":2,"mechanism":{"adjacency":"add_remove","kind":"laplace","scale":"10","schema":"dpc.mechanism/1","sensitivity":"1"}},{"count":1,"mechanism":{"adjacency":"add_remove","kind":"gaussian","noise_std":"5","schema":"dpc.mechanism/1","sensitivity":"1"}}],"units":["1","1"]}');
INSERT INTO "epoch" VALUES(4,4,1,'{"caps":["560289638252602854"],"coordinates":["mu_squared"],"delta":"1/1000000","epsilon":"1","exact_caps":["280144819126301427/5000000000000000000"],"filter":"gdp","kind":"filter","orders":[],"units":["1/10000000000000000000"]}');
INSERT INTO "epoch" VALUES(5,5,1,'{"caps":["560289638252602854"],"coordinates":["mu_squared"],"delta":"1/1000000","epsilon":"1","exact_caps":["280144819126301427/5000000000000000000"],"filter":"gdp","kind":"filter","orders":[],"units":["1/10000000000000000000"]}');
INSERT INTO "epoch" VALUES(6,6,1,'{"caps":["560289638252602854"],"coordinates":["mu_squared"],"delta":"1/1000000","epsilon":"1","exact_caps":["280144819126301427/5000000000000000000"],"filter":"gdp","kind":"filter","orders":[],"units":["1/10000000000000000000"]}');
INSERT INTO "epoch" VALUES(7,2,2,'{"caps":["200000000000000000","0"],"coordinates":["epsilon","delta"],"delta":"0","epsilon":"1/5","exact_caps":["1/5","0"],"filter":"basic","kind":"filter","orders":[],"units":["1/1000000000000000000","1"]}');
CREATE TABLE head (
	chain INTEGER NOT NULL, 
	height BIGINT NOT NULL, 
	hash TEXT NOT NULL, 
	PRIMARY KEY (chain)
);
INSERT INTO "head" VALUES(0,8,'0aeb13c3afe33062e675a736d7e339a893d643b7ad34c7c30f4686ecd6ffbbb9');
INSERT INTO "head" VALUES(1,27,'651b48cb56ea3d76fd3844c5e9766bb15d997d08ccae253bed7095e7d2c5bb74');
INSERT INTO "head" VALUES(3,2,'1a1856dd7a8fcf7085be058ae79a14188446e34bf88eaabd9acaeae9a9a0d102');
INSERT INTO "head" VALUES(4,2,'00bac94ce7d62caed8a80ad1ccb91969430999710b78ef6ce4201528bb10e5fd');
CREATE UNIQUE INDEX one_step_of_each_phase ON entry (account, "key", phase);
CREATE INDEX newest_of_an_account ON entry (account, height);
CREATE TRIGGER no_update_of_book BEFORE UPDATE ON book BEGIN SELECT RAISE(ABORT, 'book is only ever added to'); END;
CREATE TRIGGER no_delete_of_book BEFORE DELETE ON book BEGIN SELECT RAISE(ABORT, 'book is only ever added to'); END;
CREATE TRIGGER no_update_of_account BEFORE UPDATE ON account BEGIN SELECT RAISE(ABORT, 'account is only ever added to'); END;
CREATE TRIGGER no_delete_of_account BEFORE DELETE ON account BEGIN SELECT RAISE(ABORT, 'account is only ever added to'); END;
CREATE TRIGGER no_update_of_epoch BEFORE UPDATE ON epoch BEGIN SELECT RAISE(ABORT, 'epoch is only ever added to'); END;
CREATE TRIGGER no_delete_of_epoch BEFORE DELETE ON epoch BEGIN SELECT RAISE(ABORT, 'epoch is only ever added to'); END;
CREATE TRIGGER no_update_of_entry BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'entry is only ever added to'); END;
CREATE TRIGGER no_delete_of_entry BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'entry is only ever added to'); END;
CREATE TRIGGER no_update_of_checkpoint BEFORE UPDATE ON checkpoint BEGIN SELECT RAISE(ABORT, 'checkpoint is only ever added to'); END;
CREATE TRIGGER no_delete_of_checkpoint BEFORE DELETE ON checkpoint BEGIN SELECT RAISE(ABORT, 'checkpoint is only ever added to'); END;
CREATE TRIGGER no_delete_of_balance BEFORE DELETE ON balance BEGIN SELECT RAISE(ABORT, 'a balance stays'); END;
CREATE TRIGGER no_delete_of_head BEFORE DELETE ON head BEGIN SELECT RAISE(ABORT, 'a chain stays'); END;
CREATE TRIGGER caps_are_fixed BEFORE UPDATE OF epoch, place, cap ON balance BEGIN SELECT RAISE(ABORT, 'a cap never changes'); END;
CREATE TRIGGER heads_go_up BEFORE UPDATE ON head WHEN NEW.height <= OLD.height OR NEW.chain <> OLD.chain BEGIN SELECT RAISE(ABORT, 'a chain only grows'); END;
COMMIT;
