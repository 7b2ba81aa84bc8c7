package io.github.vertxrdma.functions;

/**
 * A leased worker at a moment.
 *
 * @param name its service
 * @param nodeId its node
 * @param fabric the device that this side uses for it
 * @param mode how it waits for calls now
 * @param inFlight calls under way on it
 */
public record WorkerInfo(String name, String nodeId, String fabric, WorkerMode mode, int inFlight) {
}
