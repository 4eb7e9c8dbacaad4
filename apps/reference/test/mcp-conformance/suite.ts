import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')
/** The program of the conformance suite of the Model Context Protocol. */
export const SUITE = join(dirname(manifest), 'dist/index.js')

/** Starts a script with only these environment variables. */
export function startScript(script: string, args: readonly string[], environment = {}) {
  const env = { PATH: process.env.PATH ?? '', ...environment }
  const program = spawn(process.execPath, [script, ...args], { env })
  let output = ''
  for (const stream of [program.stdout, program.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  return { program, output: () => output, ended: once(program, 'close').then(([code]) => code as number) }
}
