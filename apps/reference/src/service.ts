import { randomUUID } from 'node:crypto'
import type { Feature } from '@grantkit/core'
import type { KnownClient } from '@grantkit/known-clients'
import {
  type Config,
  createService as createOnServer,
  type MountContext,
  type Observers,
  openStorage,
  type Service,
  type ServiceDefinition,
  type Storage,
} from '@grantkit/server'
import type { SchoolConfig } from './config.ts'
import { DEMO_ACCOUNTS } from './demo-accounts.ts'
import { documents } from './documents/routes.ts'
import { viewerClient } from './documents/viewer-client.ts'
import { home } from './home/home.ts'
import { mcp } from './mcp/route.ts'
import type { RequiredSignIn } from './oauth/guard.ts'
import { describedServer, openApiDocument } from './openapi/document.ts'
import { schoolApi } from './school/api.ts'
import { SCHOOL_MIGRATIONS } from './school/migrations.ts'
import { schoolRecords } from './school/records.ts'

/** What the code of the school adds to its server, without the routes. */
const SCHOOL: ServiceDefinition = {
  // The page at /docs is a public client, which a profile does not allow.
  features: ({ baseUrl, features }) => (features.profile === undefined ? [viewerClient(baseUrl)] : []),
  migrations: { table: 'school_migration', steps: SCHOOL_MIGRATIONS },
  demoAccounts: DEMO_ACCOUNTS,
  program: 'pnpm grantkit',
}

type OwnConfig = Config & Partial<Pick<SchoolConfig, 'passkeyToRemove'>>

/** The same with an API, documents and an MCP server. */
export function schoolDefinition(config: OwnConfig): ServiceDefinition {
  return { ...SCHOOL, mount: (context) => mount(context, config) }
}

/** The service without a server of its own, for commands and tests. @param features next to those of the config */
export function createService(
  config: OwnConfig,
  observers: Observers,
  storage: Omit<Storage, 'close'>,
  features: readonly Feature[] = [],
): Promise<Service> {
  const withFeatures = (own: Config) => [...(SCHOOL.features?.(own) ?? []), ...features]
  return createOnServer({
    definition: { ...schoolDefinition(config), features: withFeatures },
    config,
    observers,
    storage,
  })
}

/** The storage of the service, with the tables of the school. */
export function openSchoolStorage(
  config: Config,
  onWarning: (warning: string) => void,
  options: Omit<Parameters<typeof openStorage>[2], 'definition'> = {},
): Promise<Storage> {
  return openStorage(config, onWarning, { ...options, definition: SCHOOL })
}

/** Signed in with a passkey, at most five minutes ago. */
const BY_PASSKEY: RequiredSignIn = { acr: 'phr', maxAge: 300 }

function mount(context: MountContext, { passkeyToRemove = false }: OwnConfig) {
  const { baseUrl, features } = context.config
  // Without the option, tokens from before are refused too: their users could not revoke them.
  const guard = (resource: string) =>
    features.personalTokens.enabled
      ? context.guard(resource).allowing({ personalTokens: true })
      : context.guard(resource)
  const school = schoolRecords(context.database, randomUUID)
  const openApi = (known: readonly KnownClient[]) =>
    JSON.stringify(
      openApiDocument(context.app(), describedServer(context, known), {
        title: 'Harbour School',
        version: '1.0.0',
        description: `An online school with an API. How to get a token: ${baseUrl}/auth.md`,
        license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
        tags: { School: 'The areas of the school, each guarded by its scopes.' },
      }),
    )
  return [
    home(context),
    schoolApi(guard(baseUrl), school, passkeyToRemove ? BY_PASSKEY : undefined),
    documents({ context, school, openApi }),
    mcp(baseUrl, guard(`${baseUrl}/mcp`), school),
  ]
}
