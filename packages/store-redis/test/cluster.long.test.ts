import { startRedisCluster } from '@grantkit/test-servers/redis-cluster'
import { describeDeployment } from './describe-deployment.ts'

describeDeployment('cluster', startRedisCluster)
