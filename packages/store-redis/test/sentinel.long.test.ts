import { describeDeployment } from './describe-deployment.ts'
import { startSentinels } from './redis-sentinel.ts'

describeDeployment('sentinel', startSentinels)
