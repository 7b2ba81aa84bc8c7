package io.github.vertxrdma.statistics;

import io.github.vertxrdma.provider.EndpointType;
import java.util.List;

/**
 * One device on one event loop.
 *
 * @param provider the provider's name
 * @param device the device
 * @param fabric the wire
 * @param endpointType what lies under its connections
 * @param loop the event loop's thread
 * @param traffic what went over it, connections that are over included
 * @param opened connections that have opened since it started
 * @param lost those of them that broke
 * @param retries how often the device was busy and was asked again
 * @param deferred connections of strangers that had to wait, and messages of their handshakes that were dropped or had to, since others
 *   held as much as they may
 * @param sendSlots slots of registered memory for sending
 * @param sendSlotsUsed those in use
 * @param receiveSlots slots of registered memory for receiving
 * @param receiveSlotsUsed those that are posted or being read
 * @param partSlots slots for parts of large messages and for staged operations
 * @param partSlotsUsed those in use
 * @param zeroCopyMessages large messages in registered memory, received or to be sent, that the application has not released or written,
 *   the peer has not read, or the fabric may still write to
 * @param registeredBytes bytes of all these slots, and of the memory of zero-copy messages
 * @param requests how long requests of services that this side made took until they were answered
 * @param oneSided how long remote reads, writes and atomics of this side took, from their post to their completion; each part of a large
 *   message that was fetched is one. Every sixteenth of a connection is timed, the first included
 * @param connectionCount connections that are there
 * @param pendingBytes bytes of messages that wait for credits, slots or the queue, of all of them
 * @param connections the first 256 of them; fewer where all that a node tells would be too long
 */
public record DeviceStatistics(String provider, String device, String fabric, EndpointType endpointType, String loop, Traffic traffic,
  long opened, long lost, long retries, long deferred, int sendSlots, int sendSlotsUsed, int receiveSlots,
  int receiveSlotsUsed, int partSlots, int partSlotsUsed, int zeroCopyMessages, long registeredBytes,
  Latencies requests, Latencies oneSided, int connectionCount, long pendingBytes,
  List<ConnectionStatistics> connections) {
  public DeviceStatistics {
    requests = requests == null ? Latencies.NONE : requests;
    oneSided = oneSided == null ? Latencies.NONE : oneSided;
    connections = List.copyOf(connections);
    // Nodes of an earlier version tell of connections one by one, and count nothing.
    connectionCount = Math.max(connectionCount, connections.size());
    pendingBytes = Math.max(pendingBytes, connections.stream().mapToLong(ConnectionStatistics::pendingBytes).sum());
  }
}
