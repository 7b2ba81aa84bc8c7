package io.github.vertxrdma.functions;

/**
 * State of a leased worker.
 *
 * @param name its service
 * @param nodeId its node
 * @param fabric device of this side for its connection
 * @param mode how it waits for calls now
 * @param inFlight number of calls in flight on it
 */
public record WorkerInfo(String name, String nodeId, String fabric, WorkerMode mode, int inFlight) {
}
