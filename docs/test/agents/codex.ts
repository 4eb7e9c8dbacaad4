import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Agent } from './agent.ts'
import { openaiResponses } from './openai-responses.ts'
import { runProgram } from './run-program.ts'

const settings = (mcpServer: string, model: string) => `
model = "scripted"
model_provider = "scripted"
mcp_oauth_credentials_store = "file"
check_for_update_on_startup = false
analytics.enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "${model}/v1"
wire_api = "responses"

[mcp_servers.notes]
url = "${mcpServer}"
default_tools_approval_mode = "approve"
`

/** It names the scope that a tool lacks, and its user names it at the next sign-in. */
export const codex: Agent = {
  name: 'Codex',
  npmPackage: '@openai/codex',
  wire: openaiResponses,
  asks: ['notes:read', 'notes:read notes:write'],
  refusal: 'Insufficient scope',

  async open({ modules, mcpServer, model, cwd, env }) {
    const home = join(cwd, '.codex')
    await mkdir(home)
    await writeFile(join(home, 'config.toml'), settings(mcpServer, model))
    const run = (...given: string[]) =>
      runProgram([process.execPath, join(modules, '@openai/codex/bin/codex.js'), ...given], { cwd, env })
    return {
      signIn: () => run('mcp', 'login', 'notes'),
      prompt: () => run('exec', '--skip-git-repo-check', '--sandbox', 'read-only', 'Use the tool'),
      signInForMore: () => run('mcp', 'login', 'notes', '--scopes', 'notes:read,notes:write'),
    }
  },
}
