import { operatorCommands, runProgram } from '@grantkit/server/commands'
import { loadService } from './load-service.ts'

await runProgram('pnpm grantkit', {
  meta: { description: 'The commands of the service' },
  subCommands: operatorCommands(loadService),
})
