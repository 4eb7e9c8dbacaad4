import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { launch } from './launched-server.ts'
import { requireSystemPart } from './system-parts.ts'

/** A program that reads a request as CGI variables, and answers with one line `NAME=value` for each. */
export interface CgiProgram {
  readonly port: number
  close(): Promise<void>
}

const WSGI = `
import sys
from wsgiref.simple_server import make_server, WSGIRequestHandler

class Quiet(WSGIRequestHandler):
    def log_message(self, *args): pass

def application(environ, start_response):
    start_response('200 OK', [('Content-Type', 'text/plain')])
    return [''.join(f'{k}={v}\\n' for k, v in environ.items() if k.startswith('HTTP_')).encode('latin-1')]

with make_server('127.0.0.1', int(sys.argv[1]), application, handler_class=Quiet) as server:
    print('server started', file=sys.stderr, flush=True)
    server.serve_forever()
`

/** The server of Python's standard library. It reads a hyphen in a name as an underscore. */
export async function startWsgi(): Promise<CgiProgram> {
  const port = await freePort()
  return start('Python', { 'program.py': WSGI }, ['program.py', `${port}`], port)
}

const CGI = "printf 'Content-Type: text/plain\\r\\n\\r\\n'\nexec env\n"

/** A shell script behind lighttpd, which reads whatever is no letter and no digit as an underscore. */
export async function startCgi(): Promise<CgiProgram> {
  const port = await freePort()
  const files = { 'lighttpd.conf': lighttpd(port), 'program.cgi': CGI }
  return start('lighttpd', files, ['-D', '-f', 'lighttpd.conf'], port)
}

const lighttpd = (port: number) => `server.modules = ("mod_rewrite", "mod_cgi")
server.bind = "127.0.0.1"
server.port = ${port}
server.document-root = var.CWD
url.rewrite = ("" => "/program.cgi")
cgi.assign = (".cgi" => "/bin/sh")
`

async function start(
  part: 'Python' | 'lighttpd',
  files: Readonly<Record<string, string>>,
  options: readonly string[],
  port: number,
): Promise<CgiProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-cgi-'))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  const program = await launch(requireSystemPart(part), options, 'server started', { cwd: folder })
  return {
    port,
    async close() {
      const ended = once(program, 'exit')
      program.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}
