"""Groups that do nothing but heartbeat: in the coordinator alone, and over TCP."""
