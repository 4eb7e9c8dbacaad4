/** The program of docs/how-to/mcp.md with the agents that people use, and a scripted model in the place of their maker's. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { mcpClients } from '@grantkit/mcp-clients'
import { formBrowser } from '@grantkit/testkit/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OpenAgent } from './agents/agent.ts'
import { type BrowserCommand, browserCommand } from './agents/browser-command.ts'
import { claudeCode } from './agents/claude-code.ts'
import { codex } from './agents/codex.ts'
import { geminiCli } from './agents/gemini-cli.ts'
import { installAgent } from './agents/installed-agent.ts'
import { opencode } from './agents/opencode.ts'
import { type ScriptedModel, startScriptedModel } from './agents/scripted-model.ts'
import { type NotesProgram, startNotes } from './notes-program.ts'

const ADD_NOTE = { tool: 'add_note', arguments: { note: 'feed the cat' } }

/** Two of them insist on a terminal. */
const onLinux = process.platform === 'linux'

let notes: NotesProgram
beforeAll(async () => {
  notes = await startNotes('agents')
})
afterAll(() => notes.close())

for (const agent of [claudeCode, codex, geminiCli, opencode]) {
  const version = mcpClients.find(({ name }) => name === agent.name)?.version ?? ''
  const modules = onLinux ? await installAgent(agent.npmPackage, version) : undefined
  if (modules === undefined)
    console.warn(`Not run: ${agent.name} ${version}. It needs Linux, and a registry that answers.`)

  describe.skipIf(modules === undefined)(`${agent.name} ${version}`, { timeout: 400_000 }, () => {
    let model: ScriptedModel
    let browser: BrowserCommand
    let open: OpenAgent
    let folder: string
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'grantkit-agent-'))
      model = await startScriptedModel(agent.wire)
      browser = await browserCommand(formBrowser({ origin: notes.origin, typed: { password: '' } }), folder)
      open = await agent.open({
        cwd: folder,
        env: environment(folder, browser.path, model.url),
        modules: modules ?? '',
        mcpServer: `${notes.origin}/mcp`,
        model: model.url,
      })
    })
    afterAll(async () => {
      await model.close()
      await browser.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    })

    it('signs in, and calls a tool', async () => {
      await open.signIn()
      expect(browser.asked).toEqual(agent.asks.slice(0, 1))
      model.wants = { tool: 'list_notes', arguments: {} }
      expect(await open.prompt()).toContain('buy milk')
    })

    const { refusal, asks } = agent
    if (refusal)
      it('says that a tool needs more scopes', async () => {
        model.wants = ADD_NOTE
        expect(await open.prompt()).toContain(refusal)
        expect(browser.asked).toEqual(asks.slice(0, 1))
      })

    if (asks.includes('notes:read notes:write'))
      it('calls that tool when its user has allowed more', async () => {
        await open.signInForMore?.()
        model.wants = ADD_NOTE
        expect(await open.prompt()).toContain('It is noted')
        expect(browser.asked).toEqual(asks)
      })
  })
}

/** @param proxy for every host but this one */
function environment(home: string, browser: string, proxy: string): Record<string, string> {
  const path = [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter)
  const here = '127.0.0.1,localhost'
  return { HOME: home, PATH: path, BROWSER: browser, HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: here }
}
