import { startSentinels } from '@grantkit/test-servers/redis-sentinel'
import { describeDeployment } from './describe-deployment.ts'

/** The store talks to one primary, as it does without sentinels: redis-store.night.test.ts has its promises. */
describeDeployment('sentinels', startSentinels)
