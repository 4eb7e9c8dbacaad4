import { styleText } from 'node:util'
import { terminalText } from '@grantkit/core/feature'
import { defineCommand } from 'citty'
import { ConfigError } from '../config/text-file.ts'
import type { ConfiguredService, LoadService } from '../definition.ts'

/** Checks the configuration without a start, and changes nothing. It ends with 1 if there is a problem. */
export const check = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Checks the configuration without a start, and shows what would run' },
    args: {
      providers: {
        type: 'boolean',
        description: 'also reads the documents of the providers that users may sign in with',
      },
    },
    run: async ({ args: { providers = false } }) => {
      const problems = await checked(load, providers)
      for (const problem of problems) console.error(styleText('red', `  - ${terminalText(problem)}`))
      if (problems.length > 0) process.exitCode = 1
      else console.log('\nThe configuration is valid.')
    },
  })

/** Prints what would run. @returns the problems */
async function checked(load: LoadService, withProviders: boolean): Promise<readonly string[]> {
  try {
    const service = await load()
    await printSummary(service)
    const { trial, unreachable } = await import('./check-configuration.ts')
    const problems = await trial(service)
    // A file of providers that cannot be read is one of the problems.
    const ofProviders = withProviders && problems.length === 0 ? await printProviders(service) : []
    return [...problems, ...(await unreachable(service.config)), ...ofProviders]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.error(terminalText(error.message.split('\n', 1)[0] ?? ''))
    return error.problems
  }
}

/** Prints what the providers say. @returns why nobody can sign in with one */
async function printProviders({ config }: ConfiguredService): Promise<readonly string[]> {
  const { providerReports } = await import('./check-providers.ts')
  const reports = await providerReports(config)
  for (const { id, rows, warnings } of reports) {
    console.log(`\nProvider ${id}`)
    printRows(rows)
    printWarnings(warnings)
  }
  return reports.flatMap(({ id, problem }) =>
    problem === undefined ? [] : [`The provider ${id}: ${problem}`],
  )
}

async function printSummary(service: ConfiguredService): Promise<void> {
  const { config, file } = service
  const { summaryOf, misspelledVariables } = await import('./check-configuration.ts')
  const rows = [['Configuration', file ?? 'the environment alone'] as const, ...summaryOf(config)]
  printRows(rows)
  printWarnings([...misspelledVariables(process.env), ...(await warningsOf(service))])
}

function printRows(rows: readonly (readonly [subject: string, text: string])[]): void {
  for (const [subject, text] of rows) console.log(`${subject.padEnd(15)}${terminalText(text)}`)
}

function printWarnings(warnings: readonly string[]): void {
  for (const warning of warnings) console.error(styleText('yellow', `\nWarning: ${terminalText(warning)}`))
}

/** What a start accepts, and what will not work. */
async function warningsOf(service: ConfiguredService): Promise<readonly string[]> {
  const { configWarnings } = await import('../config/config.ts')
  const { hashWarnings } = await import('../accounts/password-hashes.ts')
  const { claimWarnings, missingWorkloadClients } = await import('./check-configuration.ts')
  const { providerWarnings } = await import('../accounts/upstream/upstream-sign-ins.ts')
  const { addressWarnings } = await import('./check-providers.ts')
  const { config } = service
  return [
    ...configWarnings(config),
    // What is wrong with the file of providers is a problem, and named as one.
    ...(await providerWarnings(config).catch(() => [])),
    ...(await addressWarnings(config).catch(() => [])),
    ...claimWarnings(config),
    ...(await missingWorkloadClients(service)),
    ...hashWarnings(),
  ]
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
