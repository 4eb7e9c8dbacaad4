import { jsonOf, textOf } from '../client/metadata.ts'
import type { HttpRequest, Transport } from '../client/transport.ts'
import { NoApproval } from './no-approval.ts'

/** What a device gets (RFC 8628 section 3.2). */
export interface DeviceAuthorization {
  readonly deviceCode: string
  readonly userCode: string
  /** Where the user goes; with the user code, where the server gives that. */
  readonly verificationUri: string
  /** Between two polls, in seconds. */
  readonly interval: number
}

/** @throws NoApproval */
export async function startDevice(transport: Transport, request: HttpRequest): Promise<DeviceAuthorization> {
  const { answer } = await transport.send(request)
  const json = jsonOf(answer?.body ?? '') ?? {}
  const [deviceCode, userCode] = [textOf(json.device_code), textOf(json.user_code)]
  if (deviceCode === undefined || userCode === undefined)
    throw new NoApproval(`The device authorization endpoint answers ${answer?.status ?? 'nothing'}.`)
  const verificationUri = textOf(json.verification_uri_complete) ?? textOf(json.verification_uri) ?? ''
  // RFC 8628 section 3.5: 5 seconds where the server says nothing.
  const interval = typeof json.interval === 'number' ? json.interval : 5
  return { deviceCode, userCode, verificationUri, interval }
}
