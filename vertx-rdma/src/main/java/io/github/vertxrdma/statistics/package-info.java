/**
 * Figures of a node's connections, devices and regions: numbers that are sampled now and then, never counted at a cost to what they count.
 */
package io.github.vertxrdma.statistics;
