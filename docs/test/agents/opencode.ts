import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import type { Agent } from './agent.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { runProgram } from './run-program.ts'

const QUIET = {
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
}

/** It has the SDK in version 1, which refreshes when a tool needs more, and takes its scope from the challenge alone. */
export const opencode: Agent = {
  name: 'opencode',
  npmPackage: 'opencode-ai',
  wire: anthropicMessages,
  asks: ['notes:read'],
  refusal: 'Server returned 403 after trying upscoping',

  async open({ modules, mcpServer, model, cwd, env }) {
    const redirectUri = `http://127.0.0.1:${await freePort()}/mcp/oauth/callback`
    const settings = {
      model: 'anthropic/scripted',
      small_model: 'anthropic/scripted',
      provider: {
        anthropic: {
          options: { baseURL: `${model}/v1`, apiKey: 'any text' },
          models: { scripted: { name: 'scripted' } },
        },
      },
      mcp: { notes: { type: 'remote', url: mcpServer, oauth: { redirectUri } } },
    }
    const file = join(cwd, 'opencode.json')
    await writeFile(file, JSON.stringify(settings))
    const options = { cwd, env: { ...env, ...QUIET, OPENCODE_CONFIG: file } }
    const program = join(modules, `opencode-${process.platform}-${process.arch}/bin/opencode`)
    return {
      signIn: () => runProgram([program, 'mcp', 'auth', 'notes'], options),
      prompt: () => runProgram([program, 'run', 'Use the tool'], options),
    }
  },
}
