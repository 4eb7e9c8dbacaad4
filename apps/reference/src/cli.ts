import {
  afterRestore,
  check,
  clients,
  doctor,
  grants,
  identities,
  keys,
  migrate,
  overview,
  personalTokens,
  runProgram,
  staticClients,
  trail,
  users,
  webhooks,
  why,
} from '@grantkit/server/commands'
import { loadService } from './load-service.ts'

/** The commands of an operator. */

await runProgram('pnpm grantkit', {
  meta: { description: 'The commands of the service' },
  subCommands: {
    account: users(loadService),
    'after-restore': afterRestore(loadService),
    check: check(loadService),
    clients: clients(loadService),
    database: {
      meta: { description: 'Migrates the tables before a start does' },
      subCommands: { migrate: migrate(loadService) },
    },
    doctor: doctor(loadService),
    grants: grants(loadService),
    identities: identities(loadService),
    integration: staticClients(loadService),
    keys: keys(loadService),
    overview: overview(loadService),
    'personal-tokens': personalTokens(loadService),
    trail: trail(loadService),
    webhooks: webhooks(loadService),
    why: why(loadService),
  },
})
