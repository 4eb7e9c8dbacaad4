import * as z from 'zod'
import { AUTHENTICATION_CLASSES } from './authentication-classes.ts'
import { choice, field, portNumber, seconds, text, toggle, whole } from './fields.ts'
import { encoded, type Origin, path, urlWithPassword } from './references.ts'

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
    { variable: 'EXPLAIN', guide: 'server/failed-sign-ins.md' },
  ),
  explainDays: field(
    whole('a number of days', 1, 90).default(14),
    'how many days the steps of a sign-in attempt are kept, maximum 90; without a user, 3 days at most',
    { variable: 'EXPLAIN_DAYS', guide: 'server/failed-sign-ins.md' },
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
