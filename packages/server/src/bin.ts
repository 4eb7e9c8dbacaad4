#!/usr/bin/env node
import type { ConfiguredService } from './definition.ts'
import { nodeVersionProblem } from './node-version.ts'

// An older Node cannot load the rest, so it is imported after the check.
const problem = nodeVersionProblem()
if (problem === undefined) await run()
else {
  console.error(problem)
  process.exitCode = 1
}

async function run(): Promise<void> {
  const { runProgram, withoutOption } = await import('./commands/command-line.ts')
  const { grantkit } = await import('./commands/grantkit.ts')
  // Every command reads the configuration, so the option may be anywhere.
  const { words, value: file } = withoutOption(process.argv.slice(2), 'config')
  await runProgram('grantkit', grantkit(load), words)

  async function load(): Promise<ConfiguredService> {
    const { readConfig } = await import('./config/read-config.ts')
    return { ...(await readConfig({ file })), definition: {} }
  }
}
