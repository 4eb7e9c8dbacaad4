import { REDIRECT_URI, registration } from '../requests.ts'
import { type Stories, variations } from '../world.ts'

const MANY = Array.from({ length: 11 }, (_, n) => `http://127.0.0.1:${n + 1}/callback`)
const ofLength = (length: number) => 'http://127.0.0.1/'.padEnd(length, 'x')

const LISTS: Readonly<Record<string, unknown>> = {
  'none at all': undefined,
  'an empty list': [],
  'no list': REDIRECT_URI,
  'a number': [7],
  'one with a port': ['http://127.0.0.1:7001/callback'],
  'one without a port': ['http://127.0.0.1/callback'],
  IPv6: ['http://[::1]:7001/callback'],
  localhost: ['http://localhost:7001/callback'],
  'a path of nothing': ['http://127.0.0.1:7001'],
  'a query': ['http://127.0.0.1:7001/callback?from=school'],
  'a fragment': ['http://127.0.0.1:7001/callback#here'],
  'a user': ['http://user@127.0.0.1:7001/callback'],
  'https on another host': ['https://app.example/callback'],
  'http on another host': ['http://app.example/callback'],
  'https on loopback': ['https://127.0.0.1:7001/callback'],
  'a scheme of its own': ['com.example.app:/callback'],
  'a script': ['javascript:alert(1)'],
  'a wildcard': ['http://127.0.0.1:*/callback'],
  'another address of loopback': ['http://127.0.0.2:7001/callback'],
  'a host that begins like loopback': ['http://127.0.0.1.evil.example/callback'],
  'a port that does not exist': ['http://127.0.0.1:65536/callback'],
  'the highest port': ['http://127.0.0.1:65535/callback'],
  'upper case': ['HTTP://127.0.0.1:7001/callback'],
  'a line break': ['http://127.0.0.1:7001/callback\n'],
  'a backslash': ['http://127.0.0.1:7001\\callback'],
  'an encoded control character': ['http://127.0.0.1:7001/%0a'],
  'good and bad ones': [REDIRECT_URI, 'https://app.example/callback', 'http://[::1]/callback'],
  ten: MANY.slice(1),
  eleven: MANY,
  '2048 characters': [ofLength(2048)],
  '2049 characters': [ofLength(2049)],
}

export const REGISTERED_REDIRECT_URIS: Stories = variations(LISTS, (_, redirect_uris) =>
  registration({ redirect_uris }),
)
