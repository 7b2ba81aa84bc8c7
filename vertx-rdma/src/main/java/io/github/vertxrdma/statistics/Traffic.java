package io.github.vertxrdma.statistics;

/**
 * Traffic of a connection, or of a device on one event loop since its start. Excludes operations of peers on this node's memory, which the
 * fabric may execute unnoticed.
 *
 * @param messagesSent messages posted
 * @param messagesReceived messages delivered to the application
 * @param bytesSent of these messages
 * @param bytesReceived of these messages
 * @param reads completed remote reads, including parts of large messages and copies from mapped memory
 * @param writes completed remote writes
 * @param atomics completed remote atomics by devices
 * @param bytesRead of the reads
 * @param bytesWritten of the writes
 */
public record Traffic(long messagesSent, long messagesReceived, long bytesSent, long bytesReceived, long reads, long writes, long atomics,
  long bytesRead, long bytesWritten) {
}
