import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Agent } from './agent.ts'
import { geminiContents } from './gemini-contents.ts'
import { runInTerminal, runProgram } from './run-program.ts'

const QUIET = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
}

/** Its user signs in within a prompt. It asks for all scopes of the authorization server at once. */
export const geminiCli: Agent = {
  name: 'Gemini CLI',
  npmPackage: '@google/gemini-cli',
  wire: geminiContents,
  asks: ['notes:read notes:write'],

  async open({ modules, mcpServer, model, cwd, env }) {
    const notes = { httpUrl: mcpServer, trust: true, oauth: { enabled: true } }
    await mkdir(join(cwd, '.gemini'))
    await writeFile(join(cwd, '.gemini/settings.json'), JSON.stringify({ ...QUIET, mcpServers: { notes } }))
    const program = [process.execPath, join(modules, '@google/gemini-cli/bundle/gemini.js')]
    const command = [...program, '--model', 'gemini-2.5-pro', '--prompt', 'Use the tool']
    const options = {
      cwd,
      env: {
        ...env,
        GEMINI_API_KEY: 'any text',
        GOOGLE_GEMINI_BASE_URL: model,
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      },
    }
    return {
      signIn: () => runInTerminal(command, options, { after: '[Y/n]:', text: 'Y\r' }),
      prompt: () => runProgram(command, options),
    }
  },
}
