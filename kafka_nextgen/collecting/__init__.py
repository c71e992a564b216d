"""Collect a group's history without being a member: a poller for the groups of any cluster, and a topic for events."""

from kafka_nextgen.collecting.collector import Collector
from kafka_nextgen.collecting.poller import GroupPoller
from kafka_nextgen.collecting.topic_sink import TopicSink

__all__ = ["Collector", "GroupPoller", "TopicSink"]
