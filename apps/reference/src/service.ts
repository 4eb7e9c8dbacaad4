import { randomUUID } from 'node:crypto'
import type { Feature } from '@grantkit/core'
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
import { DEMO_ACCOUNTS } from './demo-accounts.ts'
import { documents } from './documents/routes.ts'
import { viewerClient } from './documents/viewer-client.ts'
import { home } from './home/home.ts'
import { mcp } from './mcp/route.ts'
import { schoolApi } from './school/api.ts'
import { SCHOOL_MIGRATIONS } from './school/migrations.ts'
import { schoolRecords } from './school/records.ts'

/** What the code of the school adds to its server: an API, documents, an MCP server and their tables. */
export const SCHOOL: ServiceDefinition = {
  // The page at /docs is a public client, which a profile does not allow.
  features: ({ baseUrl, features }) => (features.profile === undefined ? [viewerClient(baseUrl)] : []),
  migrations: { table: 'school_migration', steps: SCHOOL_MIGRATIONS, lastInKysely: '0009_admin' },
  demoAccounts: DEMO_ACCOUNTS,
  commands: {
    start: 'pnpm start',
    update: 'git pull',
    migrate: 'pnpm database migrate',
    users: 'pnpm account',
    clients: 'pnpm clients',
    integrations: 'pnpm integration list',
    trail: 'pnpm trail',
    doctor: 'pnpm examine',
  },
  mount,
}

/** The service without a server of its own, for commands and tests. @param features next to those of the config */
export function createService(
  config: Config,
  observers: Observers,
  storage: Omit<Storage, 'close'>,
  features: readonly Feature[] = [],
): Promise<Service> {
  const withFeatures = (own: Config) => [...(SCHOOL.features?.(own) ?? []), ...features]
  return createOnServer({ definition: { ...SCHOOL, features: withFeatures }, config, observers, storage })
}

/** The storage of the service, with the tables of the school. */
export function openSchoolStorage(
  config: Config,
  onWarning: (warning: string) => void,
  options: Omit<Parameters<typeof openStorage>[2], 'definition'> = {},
): Promise<Storage> {
  return openStorage(config, onWarning, { ...options, definition: SCHOOL })
}

function mount(context: MountContext) {
  const { baseUrl } = context.config
  const school = schoolRecords(context.database, randomUUID)
  const openApi = () =>
    context.openApi({
      title: 'Harbour School',
      version: '1.0.0',
      description: `An online school with an API. How to get a token: ${baseUrl}/auth.md`,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      tags: { School: 'The areas of the school, each guarded by its scopes.' },
    })
  return [
    home(context),
    schoolApi(context.guard(baseUrl), school),
    documents({ context, school, openApi }),
    mcp(baseUrl, context.guard(`${baseUrl}/mcp`), school),
  ]
}
