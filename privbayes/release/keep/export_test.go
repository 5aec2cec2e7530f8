package keep

// Room is how much a draft reserves.
var Room = room
