"""The classic protocol: membership with JoinGroup, SyncGroup, Heartbeat and LeaveGroup; the leader assigns."""
