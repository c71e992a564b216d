"""The classic protocol: membership by JoinGroup, SyncGroup, Heartbeat and LeaveGroup, where a member assigns."""
