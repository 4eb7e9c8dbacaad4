import * as z from 'zod'
import { AUTHENTICATION_CLASSES } from './authentication-classes.ts'
import {
  choice,
  encoded,
  field,
  type Origin,
  path,
  portNumber,
  seconds,
  secret,
  text,
  toggle,
  urlWithPassword,
  whole,
} from './fields.ts'

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** How the server is operated. */
export const operationsFields = (origin: Origin) => ({
  limits: field(toggle(true), '`off` for load tests; invalid in production', { variable: 'RATE_LIMITS' }),
  auditDays: field(
    whole('a number of days', 1, 36_500).default(365),
    'how many days the audit trail keeps new entries; entries of unauthenticated callers, 30 days at most',
    { variable: 'AUDIT_DAYS', guide: 'server/audit-trail.md' },
  ),
  explain: field(
    toggle(true),
    'errors show the reference of their sign-in attempt, and `grantkit why` explains it; `off`: no references, and no steps are recorded',
    { variable: 'EXPLAIN', guide: 'why.md' },
  ),
  explainDays: field(
    whole('a number of days', 1, 90).default(14),
    'how many days the steps of a sign-in attempt are kept, maximum 90; without a user, 3 days at most',
    { variable: 'EXPLAIN_DAYS', guide: 'why.md' },
  ),
  webhooks: field(
    path(origin).optional(),
    'a file with a JSON list of endpoints, `{ name, url, secret, types }`: they get signed messages about grants, clients, accounts and sessions',
    { variable: 'WEBHOOKS', path: true, guide: 'how-to/webhooks.md' },
  ),
  workers: field(
    whole('a number of processes', 1, 256).default(1),
    'how many processes of `grantkit start` share the port, usually one for each core; more than one needs Postgres',
    { variable: 'WORKERS', guide: 'scaling.md#every-core' },
  ),
  playground: field(
    toggle(true),
    'the playground at `/playground`, an app in the browser that shows each request of a sign-in; only in development, and only while neither PAR nor DPoP is `required`',
    { variable: 'PLAYGROUND', guide: 'how-to/playground.md' },
  ),
  drainSeconds: field(
    seconds(5, 0),
    'how long `/readyz` fails after `SIGTERM` before the service stops; longer than a balancer needs to notice',
    { variable: 'DRAIN_SECONDS', guide: 'scaling.md#try-it' },
  ),
  metricsPort: field(
    portNumber().optional(),
    'the port of `/metrics` for Prometheus, on `host`, for all workers together; never on the public port',
    { variable: 'METRICS_PORT' },
  ),
  logLevel: field(
    choice(LEVELS).default('info'),
    '`fatal` … `trace`, `silent`; with `debug` also a line for each redeemed code and each refresh',
    { variable: 'LOG_LEVEL' },
  ),
  mail: z
    .strictObject({
      url: field(
        urlWithPassword(origin, 'MAIL_URL')
          .pipe(encoded(text().regex(/^smtps?:\/\/./, 'must be an smtp:// or smtps:// URL')))
          .optional(),
        'the mail server: `smtps://user:password@mail.example`',
        { variable: 'MAIL_URL', secret: true, otherwise: 'no mail is sent' },
      ),
      from: field(text().optional(), 'the sender: `Notes <no-reply@notes.example>`', {
        variable: 'MAIL_FROM',
      }),
    })
    .prefault({}),
  admin: z
    .strictObject({
      api: field(toggle(false), 'the admin API', { variable: 'ADMIN_API' }),
      acr: field(
        choice(AUTHENTICATION_CLASSES).optional(),
        'how strongly an admin must sign in for a change on the admin pages and for a grant of the admin API: `phr`, with a passkey, or `pwd`',
        { variable: 'ADMIN_ACR', otherwise: '`phr` for an admin who has a passkey' },
      ),
    })
    .prefault({}),
})

const DATABASE = /^(memory:$|sqlite:.|postgres(ql)?:\/\/.)/
const STORE =
  /^(memory:$|sqlite:.|(postgres(ql)?|mysql|mariadb):\/\/.|rediss?(\+(cluster|sentinel))?:\/\/|dynamodb:\/\/[\w.-]{3,255}(\?((region|endpoint)=[^&#]+(&|$))*)?$)/

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
          text()
            .regex(
              STORE,
              'must be sqlite: and the path of a file, memory:, or a URL of postgres://, redis://, redis+cluster:// or redis+sentinel:// (rediss for TLS), mysql://, mariadb:// or dynamodb://table?region=…&endpoint=…',
            )
            // The driver ignores them, and would connect without TLS.
            .refine(
              (url) => !/^(mysql|mariadb):[^?]*\?.*\b(ssl-?mode|use-?ssl|tls)\b/i.test(url),
              'must have ssl=true for TLS: other names of it are of other drivers',
            ),
        ),
      )
      .optional(),
    'clients and grants: `sqlite:` and the path of a file, a `postgres://` URL, a `redis://`, `redis+cluster://` or `redis+sentinel://` URL (`rediss` for TLS), `mysql://` or `mariadb://`, `dynamodb://` and the name of a table, or `memory:`, which ends with the process',
    {
      variable: 'STORE_URL',
      secret: true,
      otherwise: 'next to the database: the same Postgres, or a file with `-grants` in its name',
      guide: 'operations.md#stores',
    },
  ),
  databasePasswordFile: field(
    path(origin).optional(),
    'the password of a `postgres://` URL without one, as a file: it is read again for each new connection',
    { variable: 'DATABASE_PASSWORD_FILE', path: true, guide: 'operations.md#passwords-that-rotate-rds-iam' },
  ),
  storePasswordFile: field(
    path(origin).optional(),
    'the same for the store, if it is in another Postgres than the database',
    { variable: 'STORE_PASSWORD_FILE', path: true, guide: 'operations.md#passwords-that-rotate-rds-iam' },
  ),
  rdsIam: field(
    toggle(false),
    'a token of RDS IAM for each new connection of a `postgres://` URL without a password; its TLS is verified',
    { variable: 'RDS_IAM', guide: 'operations.md#passwords-that-rotate-rds-iam' },
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
