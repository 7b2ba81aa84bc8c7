package io.github.vertxrdma.functions;

/**
 * State of a leased worker.
 *
 * @param fabric local device of the worker's connection
 * @param mode how the worker waits for calls now
 * @param inFlight number of calls in flight
 */
public record WorkerInfo(String name, String nodeId, String fabric, WorkerMode mode, int inFlight) {
}
