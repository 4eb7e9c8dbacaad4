import { field, text, toggle, whole } from './fields.ts'
import { encoded, type Origin, path, secret, urlWithPassword } from './references.ts'

const DATABASE = /^(memory:$|sqlite:.|postgres(ql)?:\/\/.)/
const STORE = /^(memory:$|sqlite:.|postgres(ql)?:\/\/.|rediss?(\+(cluster|sentinel))?:\/\/)/

/** Where records are, and the secrets that protect them. */
export const storageFields = (origin: Origin) => ({
  dataFolder: field(
    path(origin).prefault('.grantkit'),
    'the folder of the SQLite files, the secret and the signing keys that development creates',
    { variable: 'DATA_FOLDER', path: true, otherwise: '`.grantkit`' },
  ),
  database: field(
    urlWithPassword(origin, 'DATABASE_URL')
      .pipe(
        encoded(
          text().regex(DATABASE, 'must be sqlite: and the path of a file, a postgres:// URL, or memory:'),
        ),
      )
      .optional(),
    'accounts, the audit trail, and the rate limits of replicas without Redis: `sqlite:` and the path of a file, created with its folder; a `postgres://` URL, which several replicas can share; or `memory:`, which ends with the process',
    { variable: 'DATABASE_URL', secret: true, otherwise: '`sqlite:.grantkit/service.sqlite` in development' },
  ),
  store: field(
    urlWithPassword(origin, 'STORE_URL')
      .pipe(
        encoded(
          text().regex(
            STORE,
            'must be sqlite: and the path of a file, memory:, or a URL of postgres://, redis://, redis+cluster:// or redis+sentinel:// (rediss for TLS)',
          ),
        ),
      )
      .optional(),
    'clients and grants: `sqlite:` and the path of a file, a `postgres://` URL, a `redis://`, `redis+cluster://` or `redis+sentinel://` URL (`rediss` for TLS), or `memory:`, which ends with the process',
    {
      variable: 'STORE_URL',
      secret: true,
      otherwise: 'next to the database: the same Postgres, or a file with `-grants` in its name',
      guide: '../packages/store-redis/README.md#connecting',
    },
  ),
  postgresPrepare: field(
    toggle(true),
    '`off` behind a PgBouncer in transaction mode that is older than 1.21, or has no `max_prepared_statements`: no prepared statements',
    { variable: 'POSTGRES_PREPARE', guide: '../packages/store-postgres/README.md#pgbouncer' },
  ),
  waitReplicas: field(
    whole('a number', 0).default(0),
    'how many Redis replicas must have a write, such as a redemption, rotation or revocation, before the response',
    {
      variable: 'WAIT_REPLICAS',
      guide: '../packages/store-redis/README.md#what-redis-does-not-promise',
    },
  ),
  secret: field(
    longSecret(origin, 'SECRET').optional(),
    'at least 32 characters, the same on every replica',
    { variable: 'SECRET', secret: true, otherwise: 'created once in development' },
  ),
  previousSecret: field(
    longSecret(origin, 'SECRET_PREVIOUS').optional(),
    'the previous secret: accepted, but not used for anything new',
    { variable: 'SECRET_PREVIOUS', secret: true },
  ),
  keysFile: field(
    path(origin).optional(),
    'a JSON Web Key set of private signing keys, newest first (`kid`, `alg` RS256, ES256 or EdDSA); created and renewed by `keys rotate`, reloaded while running',
    { variable: 'KEYS_FILE', path: true, otherwise: 'created once in development' },
  ),
})

function longSecret(origin: Origin, variable: string) {
  return secret(origin, variable).pipe(text().min(32, 'must have at least 32 characters'))
}
