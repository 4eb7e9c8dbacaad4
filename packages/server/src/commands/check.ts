import { styleText } from 'node:util'
import { terminalText } from '@grantkit/core/feature'
import { defineCommand } from 'citty'
import { ConfigError } from '../config/text-file.ts'
import type { ConfiguredService, LoadService } from '../definition.ts'

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
    const { trial, unreachable } = await import('./check-configuration.ts')
    return [...(await trial(service)), ...(await unreachable(service.config))]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.error(terminalText(error.message.split('\n', 1)[0] ?? ''))
    return error.problems
  }
}

async function printSummary(service: ConfiguredService): Promise<void> {
  const { config, file } = service
  const { summaryOf, misspelledVariables } = await import('./check-configuration.ts')
  const rows = [['Configuration', file ?? 'the environment alone'] as const, ...summaryOf(config)]
  for (const [subject, text] of rows) console.log(`${subject.padEnd(15)}${terminalText(text)}`)
  for (const warning of [...misspelledVariables(process.env), ...(await warningsOf(service))])
    console.error(styleText('yellow', `\nWarning: ${terminalText(warning)}`))
}

/** What a start accepts, and what will not work. */
async function warningsOf(service: ConfiguredService): Promise<readonly string[]> {
  const { workloadWarnings } = await import('../config/config.ts')
  const { hashWarnings } = await import('../accounts/password-hashes.ts')
  const { claimWarnings, missingWorkloadClients } = await import('./check-configuration.ts')
  const { config } = service
  const workloads = [...workloadWarnings(config), ...(await missingWorkloadClients(service))]
  return [...workloads, ...claimWarnings(config), ...hashWarnings()]
}

/** Examines the running server from outside. */
export const doctor = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Examines a running server from outside, as its clients see it' },
    args: {
      url: { type: 'positional', required: false, description: 'its base URL; default: the configured one' },
      resource: {
        type: 'string',
        valueHint: 'URL',
        description: 'the API or MCP server that the tokens are for',
      },
      json: { type: 'boolean', description: 'prints the findings as JSON' },
      register: {
        type: 'boolean',
        default: true,
        description: 'registers a throw-away client for some checks',
        negativeDescription: 'leaves out the checks that need it',
      },
      follow: { type: 'boolean', description: 'also reads what the metadata name at other origins' },
      'id-token': { type: 'string', valueHint: 'token', description: 'an ID token to be examined too' },
      client: {
        type: 'string',
        valueHint: 'client',
        description:
          'whether this client could sign in: a known client, such as cursor, or the address of a document',
      },
    },
    run: async ({ args }) => {
      const baseUrl = args.url ?? (await load()).config.baseUrl
      const { runExamination } = await import('@grantkit/doctor')
      process.exitCode = await runExamination({
        baseUrl,
        json: args.json ?? false,
        register: args.register,
        follow: args.follow ?? false,
        idToken: args['id-token'],
        resource: args.resource,
        client: args.client,
      })
    },
  })
