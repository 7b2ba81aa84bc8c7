package io.github.vertxrdma.statistics;

import io.github.vertxrdma.provider.EndpointType;
import java.util.List;

/**
 * One device on one event loop.
 *
 * @param fabric network of the device
 * @param endpointType kind of endpoint of its connections
 * @param loop thread of the event loop
 * @param traffic traffic over the device, including closed connections
 * @param opened connections opened since the start
 * @param lost opened connections that failed
 * @param retries number of times that the device was busy
 * @param deferred connections of peers that have not yet proved the secret, and their handshake messages, that were delayed or dropped by
 * limits
 * @param sendSlots slots of registered memory for sending
 * @param sendSlotsUsed send slots in use
 * @param receiveSlots slots of registered memory for receiving
 * @param receiveSlotsUsed receive slots that are posted or being read
 * @param partSlots slots for parts of large messages, and for operations that copy through registered memory
 * @param partSlotsUsed part slots in use
 * @param zeroCopyMessages large messages in registered memory that the application has not released or written, the peer has not read, or
 * the fabric may still write to
 * @param registeredBytes registered bytes of all slots and zero-copy messages
 * @param requests latencies of this side's service requests
 * @param oneSided latencies of this side's remote reads, writes and atomics, including parts of large messages, from post to completion;
 * only every sixteenth operation of a connection is timed
 * @param connectionCount open connections
 * @param pendingBytes bytes of messages of these connections that wait for credits, send buffers or the send queue
 * @param connections the first 256 open connections; fewer if a node's reply would be too long
 */
public record DeviceStatistics(String provider, String device, String fabric, EndpointType endpointType, String loop, Traffic traffic,
  long opened, long lost, long retries, long deferred, int sendSlots, int sendSlotsUsed, int receiveSlots,
  int receiveSlotsUsed, int partSlots, int partSlotsUsed, int zeroCopyMessages, long registeredBytes,
  Latencies requests, Latencies oneSided, int connectionCount, long pendingBytes,
  List<ConnectionStatistics> connections) {
  public DeviceStatistics {
    // Earlier versions list connections without their number.
    connectionCount = Math.max(connectionCount, connections.size());
    pendingBytes = Math.max(pendingBytes, connections.stream().mapToLong(ConnectionStatistics::pendingBytes).sum());
  }
}
