package io.github.vertxrdma.statistics;

/**
 * Traffic of a connection, or of a device on one event loop since its start. Excludes remote operations of peers on this node's memory,
 * which devices execute without its processor.
 *
 * @param messagesSent messages that the device has taken
 * @param messagesReceived messages delivered to the application
 * @param reads completed remote reads, including parts of large messages and copies from mapped memory
 * @param writes completed remote writes
 * @param atomics completed remote atomic operations by devices
 */
public record Traffic(long messagesSent, long messagesReceived, long bytesSent, long bytesReceived, long reads, long writes, long atomics,
  long bytesRead, long bytesWritten) {
}
