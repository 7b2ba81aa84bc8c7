/** Mechanisms that several modules need, each in one version: deadlines of a loop. */
package io.github.vertxrdma.base;
