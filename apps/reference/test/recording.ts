import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { html } from '@grantkit/pages'
import { openChromium } from '@grantkit/test-servers/chromium'
import { readCommandLine } from '../src/commands/command-line.ts'
import { run } from './program.ts'

readCommandLine(
  `pnpm --filter @grantkit/reference recording

Records the demo at the service, as the terminal and the browser show it, into the picture of the README. It needs
img2webp, of Debian's package webp, and port 3000.`,
  {},
)

const PICTURE = fileURLToPath(new URL('../../../docs/screenshots/demo.webp', import.meta.url))
const BASE_URL = 'http://127.0.0.1:3000'
const WINDOW = { width: 800, height: 740 }
const BAR = 36
const LINES = 34
/** Pages are shown smaller than they are: the whole consent page is in the picture. */
const ZOOM = 0.8
const STYLE = `
  body { margin: 0; font: 13px/20px "Liberation Sans", sans-serif; background: #fff }
  header { height: ${BAR}px; line-height: ${BAR}px; text-align: center; background: #dfe3e6; color: #3c4449 }
  main { height: ${WINDOW.height - BAR}px; overflow: hidden }
  main.terminal { box-sizing: border-box; padding: 10px 16px; background: #14191d; color: #e4e9ec }
  .terminal div { height: 20px; font-family: "Liberation Mono", monospace; white-space: pre; overflow: hidden; text-overflow: ellipsis }
  img { display: block; width: 100% }`

const folder = await mkdtemp(join(tmpdir(), 'grantkit-recording-'))
const browser = await openChromium({ viewport: WINDOW, deviceScaleFactor: 1.5 })
const stage = await browser.context.newPage()
const page = await browser.context.newPage()
await page.setViewportSize({ width: WINDOW.width / ZOOM, height: (WINDOW.height - BAR) / ZOOM })
const frames: string[] = []

// Its log is not about the demo.
const service = run('main.ts', [], { environment: { PORT: '3000', BASE_URL, LOG_LEVEL: 'warn' } })
await service.printed('Try next')
await terminal('npx -y pnpm@12 start', service.output(), 3500)
const demo = run('commands/demo.ts', ['--no-open'])
await demo.printed('code_challenge')
await terminal('npx -y pnpm@12 demo', demo.output(), 3500)
await page.goto(/http\S+code_challenge\S+/.exec(demo.output())?.[0] ?? '')
await page.getByLabel('Email').fill('demo@example.com')
await page.getByLabel('Password').fill('demo')
await shown(2500)
await page.getByRole('button', { name: 'Sign in' }).click()
await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()
await shown(5000)
await page.getByRole('button', { name: 'Allow', exact: true }).click()
await page.getByRole('heading', { name: 'Thank you' }).waitFor()
await shown(2000)
await demo.ended
await terminal('npx -y pnpm@12 demo', demo.output(), 6000)
service.stop()
await service.ended
await browser.close()
// Each frame is whole: of a lossy one, the next would keep traces.
execFileSync('img2webp', ['-loop', '0', '-kmax', '1', ...frames, '-o', PICTURE])
await rm(folder, { recursive: true })

/** A frame of the last lines that a command has printed. */
async function terminal(command: string, output: string, milliseconds: number): Promise<void> {
  const lines = [`$ ${command}`, ...output.trimEnd().split('\n')].slice(-LINES)
  const main = html`<main class="terminal">${lines.map((line) => html`<div>${line}</div>`)}</main>`
  await frame('Terminal', main, milliseconds)
}

/** A frame of what the browser shows. */
async function shown(milliseconds: number): Promise<void> {
  const picture = `data:image/png;base64,${(await page.screenshot()).toString('base64')}`
  await frame(new URL(page.url()).origin, html`<main><img src="${picture}" alt=""></main>`, milliseconds)
}

async function frame(title: string, main: ReturnType<typeof html>, milliseconds: number): Promise<void> {
  await stage.setContent(`<style>${STYLE}</style>${html`<header>${title}</header>${main}`}`)
  const file = join(folder, `${frames.length}.png`)
  await writeFile(file, await stage.screenshot())
  frames.push('-lossy', '-q', '80', '-d', String(milliseconds), file)
}
