package io.github.vertxrdma.statistics;

/**
 * What went over a connection, or over all of a device on one event loop since it started. Operations of peers on this node's memory are
 * not in it: where the fabric can, it does them without telling.
 *
 * @param messagesSent messages handed to the fabric
 * @param messagesReceived messages delivered to the application
 * @param bytesSent their bytes
 * @param bytesReceived their bytes
 * @param reads remote reads that have ended, those of large messages included, as are pieces copied out of memory that is mapped
 * @param writes remote writes that have ended
 * @param atomics operations on remote words that have ended, of those that the device does
 * @param bytesRead bytes of the reads
 * @param bytesWritten bytes of the writes
 */
public record Traffic(long messagesSent, long messagesReceived, long bytesSent, long bytesReceived, long reads, long writes, long atomics,
  long bytesRead, long bytesWritten) {
}
