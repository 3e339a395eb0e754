"""The fields of events that have a fixed place, the codes and flags in their bodies. See fields.pxd."""
