package io.github.vertxrdma.statistics;

import io.github.vertxrdma.provider.EndpointType;
import java.util.List;

/**
 * One network device on one event loop.
 *
 * @param fabric network of the device
 * @param loop thread of the event loop
 * @param traffic traffic over the device, including closed connections
 * @param opened connections opened since the start
 * @param lost opened connections that failed
 * @param retries number of times that the device was busy
 * @param deferred connections and handshake messages of peers without a proved secret that limits delayed or dropped
 * @param sendSlots send buffers
 * @param sendSlotsUsed send buffers in use
 * @param receiveSlots receive buffers
 * @param receiveSlotsUsed receive buffers that may be filled or are being read
 * @param partSlots buffers for parts of large messages, and for data copied from or to the heap
 * @param partSlotsUsed such buffers in use
 * @param zeroCopyMessages large messages outside the heap that the application, the peer or the fabric still uses
 * @param registeredBytes bytes of all these buffers and messages
 * @param requests latencies of this side's service requests
 * @param oneSided latencies of this side's remote reads, writes and atomics, including parts of large messages. Only every sixteenth
 * operation of a connection is timed
 * @param connectionCount open connections
 * @param pendingBytes bytes of their messages that wait to be sent
 * @param connections the first 256 open connections; fewer if a node's reply would be too long
 */
public record DeviceStatistics(String provider, String device, String fabric, EndpointType endpointType, String loop, Traffic traffic,
  long opened, long lost, long retries, long deferred, int sendSlots, int sendSlotsUsed, int receiveSlots,
  int receiveSlotsUsed, int partSlots, int partSlotsUsed, int zeroCopyMessages, long registeredBytes,
  Latencies requests, Latencies oneSided, int connectionCount, long pendingBytes,
  List<ConnectionStatistics> connections) {
  public DeviceStatistics {
    // Earlier versions send connections without their number.
    connectionCount = Math.max(connectionCount, connections.size());
    pendingBytes = Math.max(pendingBytes, connections.stream().mapToLong(ConnectionStatistics::pendingBytes).sum());
  }
}
