package io.github.vertxrdma.provider.devices.memory;

/**
 * Path between two endpoints: direct, or through the fabric's courier.
 *
 * @param from number of the sending domain
 * @param to number of the receiving domain; -1 if there is none
 * @param flow identifies items that keep their order
 */
record ParcelPath(InMemoryFabric fabric, int from, int to, Object flow) {

  /** @return false if there is no receiver; always true with a courier, which reports this later */
  boolean carry(Courier.Cargo cargo, InMemoryQueue queue, Arrival arrival) {
    Courier courier = fabric.courier;
    if (courier == null) {
      return queue.offer(arrival);
    }
    courier.carry(new Parcel(this, cargo, queue, arrival));
    return true;
  }

  boolean isCarried() {
    return fabric.courier != null;
  }

  boolean completesEarly() {
    return isCarried() && fabric.courier.completesEarly(from);
  }

  ParcelPath back() {
    return new ParcelPath(fabric, to, from, flow);
  }
}
