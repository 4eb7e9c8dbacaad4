import type { HttpRequest, HttpResponse } from '@grantkit/core'
import type { Stage } from './stage.ts'

const TRIES = 3

/** A page that does not come is loaded again, and a form is sent again. @returns `undefined` if the user gave up */
export async function load(
  { network, time, random }: Stage,
  request: HttpRequest,
  status: number,
): Promise<HttpResponse | undefined> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const response = await network.load(request)
    if (response?.status === status) return response
    await time.sleep(random.between(200, 2000))
  }
  return undefined
}
