import { join } from 'node:path'
import type { Agent } from './agent.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { runInTerminal, runProgram } from './run-program.ts'

const QUIET = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' }
/** It would begin before it is connected, and show its model the tools only when asked for. */
const WITH_ALL_TOOLS = {
  MCP_CONNECTION_NONBLOCKING: '0',
  MCP_CONNECT_TIMEOUT_MS: '30000',
  ENABLE_TOOL_SEARCH: 'false',
}

/** Refused for a scope, it keeps in mind what the tool needs, and asks for that when its user signs in again. */
export const claudeCode: Agent = {
  name: 'Claude Code',
  npmPackage: '@anthropic-ai/claude-code',
  wire: anthropicMessages,
  asks: [null, 'notes:read notes:write'],
  refusal: 'needs additional permissions (scope: "notes:read notes:write")',

  async open({ modules, mcpServer, model, cwd, env }) {
    const command = [process.execPath, join(modules, '@anthropic-ai/claude-code/cli-wrapper.cjs')]
    const cloud = { ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: 'any text' }
    const options = { cwd, env: { ...env, ...QUIET, ...WITH_ALL_TOOLS, ...cloud } }
    await runProgram([...command, 'mcp', 'add', '--transport', 'http', 'notes', mcpServer], options)
    const signIn = () => runInTerminal([...command, 'mcp', 'login', 'notes'], options)
    return {
      signIn,
      prompt: () => runProgram([...command, '-p', 'Use the tool', '--allowedTools', 'mcp__notes'], options),
      signInForMore: signIn,
    }
  },
}
