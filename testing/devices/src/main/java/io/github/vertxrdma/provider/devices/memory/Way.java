package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;

/**
 * The way from one endpoint to another over a fabric: direct, or by its courier.
 *
 * @param from number of the domain that it begins in
 * @param to number of the domain that it leads to; -1 for none
 * @param flow whose order is kept
 */
record Way(InMemoryFabric fabric, int from, int to, Object flow) {

  /** Hands something over. @return false if nobody is there, which a courier tells later */
  boolean carry(Courier.Cargo cargo, InMemoryQueue queue, Arrival arrival) {
    Courier courier = fabric.courier();
    if (courier == null) {
      return queue.offer(arrival);
    }
    courier.carry(new Parcel(from, to, flow, cargo, queue, arrival));
    return true;
  }

  int refusal(Operation operation) {
    Courier courier = fabric.courier();
    return courier == null ? Status.OK : courier.refusal(from, operation);
  }

  /** Tells whether somebody else decides when something arrives. */
  boolean isCarried() {
    return fabric.courier() != null;
  }

  boolean completesEarly() {
    return isCarried() && fabric.courier().completesEarly(from);
  }

  Way back() {
    return new Way(fabric, to, from, flow);
  }
}
