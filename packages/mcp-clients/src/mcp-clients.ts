import { addedClients } from './added-clients.ts'
import { chatGpt } from './chatgpt.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { copilotCli } from './copilot-cli.ts'
import { desktopClients } from './desktop-clients.ts'
import { geminiCli } from './gemini-cli.ts'
import { hostedClients } from './hosted-clients.ts'
import { inspector } from './inspector.ts'
import { inspectorPage } from './inspector-page.ts'
import type { McpClient } from './mcp-client.ts'
import { mcpRemote } from './mcp-remote.ts'
import { opencode } from './opencode.ts'
import { sdk1 } from './sdk-1.ts'
import { sdk2 } from './sdk-2.ts'
import { vsCode } from './vs-code.ts'
import { zed } from './zed.ts'

export type { McpClient } from './mcp-client.ts'

/** The MCP clients that people use. */
export const mcpClients: readonly McpClient[] = [
  chatGpt,
  claudeCode,
  codex,
  copilotCli,
  geminiCli,
  inspector,
  inspectorPage,
  mcpRemote,
  sdk1,
  sdk2,
  opencode,
  vsCode,
  zed,
  ...hostedClients,
  ...desktopClients,
  ...addedClients,
]
