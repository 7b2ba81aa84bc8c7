/** Statistics of a node's connections, devices and regions, sampled on request. */
package io.github.vertxrdma.statistics;
