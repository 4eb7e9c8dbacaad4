import { randomUUID } from 'node:crypto'
import type { HttpResponse } from '@grantkit/core'
import { signedIn } from '@grantkit/reference/test/tokens'
import type { Tally } from './tally.ts'
import { type Connection, connectionTo, unlessLost } from './wire.ts'

export interface School {
  /** The address of the balancer. */
  readonly baseUrl: string
  /** The replicas, which must all show the same. */
  readonly origins: readonly string[]
}

/** People who add, change and remove courses, two of them always the same one at once. They check every answer. */
export class Editors {
  private readonly connection: Connection
  private readonly tally: Tally
  private readonly school: School
  private readonly token: string

  private constructor(connection: Connection, tally: Tally, school: School, token: string) {
    this.connection = connection
    this.tally = tally
    this.school = school
    this.token = token
  }

  static async signIn(school: School, tally: Tally): Promise<Editors> {
    const connection = await connectionTo(school.baseUrl, [school.baseUrl], tally)
    const { access_token } = await signedIn(school.baseUrl, 'courses:read courses:write')
    return new Editors(connection, tally, school, access_token)
  }

  /** @param shouldContinue called before each course */
  async work(count: number, shouldContinue: () => boolean): Promise<void> {
    const work = async () => {
      while (shouldContinue()) await this.editOneCourse()
    }
    await Promise.all(Array.from({ length: count }, work))
  }

  /** An outage ends the work on a course, because nobody knows which of its changes were made. */
  private async editOneCourse(): Promise<void> {
    const added = await this.oneOfTwo('values that are not unique', 201, 409, this.addition())
    if (added === undefined) return
    const path = `/api/courses/${JSON.parse(added.body).id}`
    await this.expectEverywhere(path, added)
    const change = () => this.send('PATCH', path, { title: `Knots ${randomUUID()}` }, etagOf(added))
    const changed = await this.oneOfTwo('lost updates', 200, 412, change)
    if (changed !== undefined) await this.expectEverywhere(path, changed)
    const removed = await this.send('DELETE', path)
    if (removed?.status === 204) await this.expectEverywhere(path, undefined)
  }

  /** All who call it add a course with the same slug. */
  private addition(): () => Promise<HttpResponse | undefined> {
    const slug = `knots-${randomUUID()}`
    return () => this.send('POST', '/api/courses', { title: 'Knots', slug })
  }

  /** Does the same twice at once. @returns the answer to the one that got its way */
  private async oneOfTwo(
    fault: 'lost updates' | 'values that are not unique',
    won: number,
    lost: number,
    act: () => Promise<HttpResponse | undefined>,
  ): Promise<HttpResponse | undefined> {
    const answers = await Promise.all([act(), act()])
    const statuses = answers.map((answer) => answer?.status)
    if (statuses.some((status) => status === undefined || status === 503)) return undefined
    if (`${statuses.toSorted()}` !== `${[won, lost]}`) this.tally.fault(fault, `answers ${statuses}`)
    return answers.find((answer) => answer?.status === won)
  }

  /** Reads a course at each replica. One that does not run at the moment is left out. */
  private async expectEverywhere(path: string, expected: HttpResponse | undefined): Promise<void> {
    const headers = { authorization: `Bearer ${this.token}` }
    const wanted = expected ? [200, etagOf(expected), expected.body] : [404]
    for (const origin of this.school.origins) {
      const shown = await shownAt(origin + path, headers).catch(() => undefined)
      if (shown === undefined || shown[0] === 503) continue
      this.tally.compared += 1
      if (!wanted.every((part, index) => part === shown[index]))
        this.tally.fault('schools that differ', `${origin}${path} showed ${shown}, not ${wanted}`)
    }
  }

  private send(method: string, path: string, record?: object, etag = '*'): Promise<HttpResponse | undefined> {
    const headers = {
      authorization: `Bearer ${this.token}`,
      'content-type': 'application/json',
      'if-match': etag,
    }
    const body = record === undefined ? '' : JSON.stringify(record)
    return unlessLost(this.connection.send(this.school.baseUrl + path, { method, headers, body }))
  }
}

async function shownAt(url: string, headers: Record<string, string>) {
  const answer = await fetch(url, { headers })
  return [answer.status, answer.headers.get('etag'), await answer.text()] as const
}

function etagOf({ headers }: HttpResponse): string {
  return String(headers.etag)
}
