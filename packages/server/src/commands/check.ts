import { styleText } from 'node:util'
import { terminalText } from '@grantkit/core/feature'
import { defineCommand } from 'citty'
import { ConfigError } from '../config/config-error.ts'
import type { ConfiguredService, LoadService } from '../configured-service.ts'

/** Checks the configuration without a start, and changes nothing. It ends with 1 if there is a problem. */
export const check = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Checks the configuration without a start, and shows what would run' },
    run: async () => {
      const problems = await checked(load)
      for (const problem of problems) console.error(styleText('red', `  - ${terminalText(problem)}`))
      if (problems.length > 0) process.exitCode = 1
      else console.log('\nThe configuration is valid.')
    },
  })

/** Prints what would run. @returns the problems */
async function checked(load: LoadService): Promise<readonly string[]> {
  try {
    const service = await load()
    await printSummary(service)
    const { trial } = await import('../check/trial.ts')
    const { unreachable } = await import('../check/reachable.ts')
    return [...(await trial(service)), ...(await unreachable(service.config))]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.error(terminalText(error.message.split('\n', 1)[0] ?? ''))
    return error.problems
  }
}

async function printSummary(service: ConfiguredService): Promise<void> {
  const { config, file } = service
  const { summaryOf } = await import('../check/summary.ts')
  const { misspelledVariables } = await import('../check/misspelled-variables.ts')
  const rows = [['Configuration', file ?? 'the environment alone'] as const, ...summaryOf(config)]
  for (const [subject, text] of rows) console.log(`${subject.padEnd(15)}${terminalText(text)}`)
  for (const warning of [...misspelledVariables(process.env), ...(await warningsOf(service))])
    console.error(styleText('yellow', `\nWarning: ${terminalText(warning)}`))
}

/** What a start accepts, and what will not work. */
async function warningsOf(service: ConfiguredService): Promise<readonly string[]> {
  const { workloadWarnings } = await import('../config/workload-names.ts')
  const { claimWarnings } = await import('../check/user-claims.ts')
  const { missingWorkloadClients } = await import('../check/workload-clients.ts')
  const { config } = service
  return [...workloadWarnings(config), ...claimWarnings(config), ...(await missingWorkloadClients(service))]
}
