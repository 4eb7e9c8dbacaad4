import { styleText } from 'node:util'
import { wellKnownAddress } from '@grantkit/core/adapter'
import { defineCommand } from 'citty'
import type { Config } from '../config/config.ts'
import type { LoadService } from '../definition.ts'
import type { Listen } from '../listen/listening.ts'
import type { Banner } from '../server.ts'
import { wholeNumber } from './command-line.ts'
import { fail } from './terminal.ts'

interface StartCommandOptions<Configured extends Config> {
  /** Default: Hono on Node. */
  readonly listen?: ((config: Configured) => Listen) | undefined
  /** Printed to a terminal once the server listens. */
  readonly banner?: Banner<Configured> | undefined
}

/** Starts the server, until a signal stops it. */
export const start = <Configured extends Config>(
  load: LoadService<Configured>,
  { listen = () => onHono, banner = usualBanner }: StartCommandOptions<Configured> = {},
) =>
  defineCommand({
    meta: { description: 'Starts the server, after it has migrated its tables' },
    args: {
      demo: { type: 'boolean', description: 'adds the demo rows of the service in production too' },
      workers: {
        type: 'string',
        valueHint: 'number',
        description: 'how many processes share the port, instead of the configured number',
      },
    },
    run: async ({ args: { demo, workers } }) => {
      const count = workers === undefined ? undefined : wholeNumber('--workers', workers)
      const { startServer } = await import('../start.ts')
      await startServer({ load, demo, workers: count, listen, banner })
    },
  })

const onHono: Listen = async (...options) => (await import('../listen/hono.ts')).listenOnHono(...options)

export const usualBanner: Banner = async ({ config, definition }, { directory }) => {
  const { baseUrl, brand, users, playground } = config
  // An application or a directory adds its users itself.
  const isEmpty = users === undefined && (await directory.page({}, 1)).items.length === 0
  // npx finds the program in the project, and one that is installed for all.
  const add = `${definition.program ?? 'npx grantkit'} users add --email … --name …`
  return `
  ${styleText('bold', brand.name)}

  Address    ${styleText('cyan', baseUrl)}
  Metadata   ${wellKnownAddress('oauth-authorization-server', baseUrl)}
${playground ? `  Try it     ${baseUrl}/playground\n` : ''}${isEmpty ? `\n  There are no users yet: ${add}\n` : ''}`
}

/** Migrates the tables before a start does, for example with a database role that may change them. */
export const migrate = (load: LoadService) =>
  defineCommand({
    meta: {
      description:
        'Brings the tables of DATABASE_URL and of STORE_URL up to date. A start does it too, if its role may.',
    },
    run: () => migrateTables(load).catch((error) => fail(error, 'Not migrated.')),
  })

async function migrateTables(load: LoadService): Promise<void> {
  const { config, definition } = await load()
  const { openStorage } = await import('../storage.ts')
  const onMigrated = (done: readonly string[]) =>
    console.log(done.length === 0 ? 'The tables were up to date.' : `Carried out: ${done.join(', ')}.`)
  const storage = await openStorage(config, console.error, { definition, onMigrated })
  await storage.close()
}
