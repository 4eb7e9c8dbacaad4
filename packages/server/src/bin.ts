#!/usr/bin/env node
import { withoutOption } from './commands/command-line.ts'
import { grantkit } from './commands/grantkit.ts'
import { runProgram } from './commands/run-program.ts'
import type { ConfiguredService } from './configured-service.ts'

/** Every command reads the configuration, so the option may be anywhere. */
const { words, value: file } = withoutOption(process.argv.slice(2), 'config')

await runProgram('grantkit', grantkit(load), words)

async function load(): Promise<ConfiguredService> {
  const { readConfig } = await import('./config/read-config.ts')
  return { ...(await readConfig({ file })), definition: {} }
}
