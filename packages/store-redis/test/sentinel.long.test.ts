import { startSentinels } from '@grantkit/test-servers/redis-sentinel'
import { describeDeployment } from './describe-deployment.ts'

describeDeployment('sentinel', startSentinels)
