/** Mechanisms that several modules need, each in one version: deadlines of a loop, records of bytes. */
package io.github.vertxrdma.base;
