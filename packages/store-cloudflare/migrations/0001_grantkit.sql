-- The tables of @grantkit/store-cloudflare/d1, the same as its migrate() makes.
CREATE TABLE IF NOT EXISTS grantkit_client (
  id TEXT PRIMARY KEY,
  version TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS grantkit_grant (
  id TEXT PRIMARY KEY,
  version TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  subject TEXT NOT NULL,
  owner TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS grantkit_transient (
  id TEXT PRIMARY KEY,
  version TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS grantkit_grant_by_subject ON grantkit_grant (subject, created_at, id);

CREATE INDEX IF NOT EXISTS grantkit_grant_by_owner ON grantkit_grant (owner, created_at, id);
